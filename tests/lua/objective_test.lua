-- Objectives against cases worked out by hand, finite differences, and the invariances that catch most mistakes in such code.
-- Run: hone run tests/lua/objective_test.lua, or LUA_PATH=scripts/?.lua lua5.4 tests/lua/objective_test.lua
local objective = require "hone.objective"

local function near(got, wanted, what, tolerance)
    if math.abs(got - wanted) > (tolerance or 1e-9) then
        error(("%s: %.12g instead of %.12g"):format(what, got, wanted), 2)
    end
end

local function all_near(got, wanted, what, tolerance)
    assert(#got == #wanted, what .. ": wrong length")
    for i = 1, #wanted do near(got[i], wanted[i], what .. " " .. i, tolerance) end
end

local seed = 12345 -- a generator of its own: the host refuses math.random
local function uniform()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648
end

local advantages = objective.advantages

-- By hand: rewards 1, 2, 3, 6 have mean 3 and deviation sqrt((4+1+0+9)/3).
do
    local r, s = { 1, 2, 3, 6 }, math.sqrt(14 / 3) + 1e-4
    all_near(advantages.grpo(r), { -2 / s, -1 / s, 0, 3 / s }, "grpo")
    all_near(advantages.dr_grpo(r), { -2, -1, 0, 3 }, "dr_grpo")
    all_near(advantages.rloo(r), { 1 - 11 / 3, 2 - 10 / 3, 3 - 9 / 3, 6 - 6 / 3 }, "rloo: reward less the mean of the others")
    all_near(advantages.reinforce(r), r, "reinforce")
end

-- RLOO is G/(G-1) times mean-only.
do
    local r = {}
    for i = 1, 7 do r[i] = uniform() end
    local a, b = advantages.rloo(r), advantages.dr_grpo(r)
    for i = 1, 7 do near(a[i], b[i] * 7 / 6, "rloo against dr_grpo") end
end

-- A group without variance gives exactly zero, and so does a group of one.
do
    for _, kind in ipairs { "grpo", "dr_grpo", "rloo" } do
        for _, a in ipairs(advantages[kind] { 0.7, 0.7, 0.7 }) do assert(a == 0, kind .. " of equal rewards") end
        assert(advantages[kind]({ 5 })[1] == 0, kind .. " of one")
    end
end

-- An answer without a score has no advantage and changes nobody else's.
do
    for kind, f in pairs(advantages) do
        local with, without = f { 1, false, 4, 2 }, f { 1, 4, 2 }
        assert(with[2] == false, kind .. ": unscored stays unscored")
        all_near({ with[1], with[3], with[4] }, without, kind .. " with an unscored member")
    end
end

-- Groups that say nothing are dropped.
do
    assert(objective.degenerate { 0.1, 0.1, false })
    assert(objective.degenerate { 0.1, false, false })
    assert(not objective.degenerate { 0.1, 0.45 })
    local result, dropped = objective.batch_advantages({ { 0.1, 0.1 }, { 0, 2 } }, objective.presets.hone)
    assert(result[1] == false and dropped == 1)
    all_near(result[2], { -1, 1 }, "advantages of the group that is left")
    assert(objective.batch_advantages({ { 0.1, 0.1 } }, objective.presets.reinforce)[1], "which compares with nothing")
end

-- Aggregations: lengths 2 and 6.
do
    local lengths = { 2, 6 }
    local function pair(name, limit)
        local scale = objective.aggregations[name](lengths, limit)
        return { scale(1), scale(2) }
    end
    all_near(pair "token-mean", { 1 / 8, 1 / 8 }, "token-mean")
    all_near(pair "sequence-mean", { 1 / 4, 1 / 12 }, "sequence-mean")
    all_near(pair "sequence-sum", { 1 / 2, 1 / 2 }, "sequence-sum")
    all_near(pair("constant", 10), { 1 / 20, 1 / 20 }, "constant")
end

-- At ratio 1 every clipped objective has the gradient of REINFORCE.
do
    local logp = { -1, -0.3, -2 }
    for name, preset in pairs(objective.presets) do
        for _, a in ipairs { 1.7, -0.4 } do
            local w = objective.weights(preset, logp, logp, a, 0.25)
            all_near(w, { a / 4, a / 4, a / 4 }, name .. " at ratio 1")
        end
    end
end

-- Clip, by hand: low 0.2, high 0.28.
do
    local c = objective.clipped
    near(c(1.2, 2, 0.2, 0.28), 2.4, "inside")
    near(c(1.3, 2, 0.2, 0.28), 0, "good token already much likelier")
    near(c(0.5, 2, 0.2, 0.28), 1, "good token that became rare is still pulled")
    near(c(0.7, -2, 0.2, 0.28), 0, "bad token already much rarer")
    near(c(2.5, -2, 0.2, 0.28), -5, "bad token that became likelier is still pushed")
    near(c(3.5, -2, 0.2, 0.28, 3), 0, "dual clip")
end

-- The value of the objective that `weights` should be the gradient of, written independently of it.
-- kept: the log-probabilities at which the truncated ratio, which is no part of the gradient, is taken.
local function value(preset, logp, old, advantage, scale, reference, kept)
    local total, sequence = 0, 0
    for t = 1, #old do sequence = sequence + (logp[t] - old[t]) / #old end
    for t = 1, #old do
        local ratio = math.exp(preset.ratio == "sequence" and sequence or logp[t] - old[t])
        local cut = math.max(1 - (preset.clip_low or 0), math.min(1 + (preset.clip_high or 0), ratio))
        local v = math.min(ratio * advantage, cut * advantage)
        if preset.dual_clip and advantage < 0 then v = math.max(v, preset.dual_clip * advantage) end
        if preset.surrogate == "reinforce" then v = logp[t] * advantage * math.min(math.exp(kept[t] - old[t]), preset.truncate or 1) end
        if reference then
            local d = logp[t] - reference[t]
            local kl = { k1 = d, k2 = d * d / 2, k3 = math.exp(-d) + d - 1 }
            v = v - (preset.kl or 0) * kl[preset.divergence or "k3"]
        end
        total = total + v * scale
    end
    return total
end

-- Truncated importance sampling: twice the weight at most, and what sampling and learning disagree by is told.
do
    local weights, told = objective.weights(objective.presets.reinforce, { -1, -2 }, { -1.5, -5 }, 3, 1)
    all_near(weights, { 3 * math.exp(0.5), 6 }, "truncated ratios")
    near(told.off, 3.5, "sum of |logp - old|")
    near(objective.weights({ surrogate = "reinforce" }, { -1 }, { -1.5 }, 3, 1)[1], 3, "without truncate no ratio")
end

-- Weights equal finite differences of that value, off-policy too.
do
    local with_dual = { ratio = "token", clip_low = 0.2, clip_high = 0.28, dual_clip = 3, aggregation = "token-mean", kl = 0.1,
        divergence = "k2" }
    local with_k1 = { ratio = "token", clip_low = 0.2, clip_high = 0.28, kl = 0.1, divergence = "k1" }
    local cases = { with_dual, with_k1 }
    for _, preset in pairs(objective.presets) do cases[#cases + 1] = preset end
    for number, preset in ipairs(cases) do
        for _ = 1, 40 do
            local logp, old, reference, wide = {}, {}, {}, preset.ratio == "sequence" and 1e-3 or 1
            for t = 1, 4 do
                old[t] = -3 * uniform()
                logp[t] = old[t] + (uniform() - 0.5) * wide
                reference[t] = old[t] + uniform() - 0.5
            end
            local advantage = 4 * uniform() - 2
            local weights = objective.weights(preset, logp, old, advantage, 0.5, reference)
            local kept = { table.unpack(logp) }
            for t = 1, 4 do
                local h, x = 1e-6, logp[t]
                logp[t] = x + h
                local up = value(preset, logp, old, advantage, 0.5, reference, kept)
                logp[t] = x - h
                local down = value(preset, logp, old, advantage, 0.5, reference, kept)
                logp[t] = x
                near(weights[t], (up - down) / (2 * h), "weight against finite differences, case " .. number, 1e-4)
            end
        end
    end
end

-- k2's expected gradient on-policy is that of the exact KL(p, reference): five tokens, softmax over logits.
local function softmax(logits)
    local p, sum = {}, 0
    for i, x in ipairs(logits) do p[i] = math.exp(x) sum = sum + p[i] end
    for i = 1, #p do p[i] = p[i] / sum end
    return p
end
do
    local logits, reference = { 0.3, -0.2, 0.9, 0, -1 }, softmax { 0, 0.5, 0.1, -0.3, 0.2 }
    local function divergence()
        local p, sum = softmax(logits), 0
        for i = 1, 5 do sum = sum + p[i] * math.log(p[i] / reference[i]) end
        return sum
    end
    local p = softmax(logits)
    for j = 1, 5 do
        local expected = 0 -- sum over tokens of p x k2' x d log p / d logit j
        for i = 1,
            5 do expected = expected + p[i] * objective.divergences.k2(math.log(p[i] / reference[i])) * ((i == j and 1 or 0) - p[j]) end
        local h, x = 1e-5, logits[j]
        logits[j] = x + h
        local up = divergence()
        logits[j] = x - h
        local down = divergence()
        logits[j] = x
        near(expected, (up - down) / (2 * h), "k2 against the exact divergence", 1e-8)
    end
end

-- How a batch is split over calls does not matter: scales come from the whole batch.
do
    local lengths, answers = { 3, 1, 2 }, { { -1, -2, -0.5 }, { -0.1 }, { -3, -0.2 } }
    for _, name in ipairs { "token-mean", "sequence-mean", "sequence-sum", "constant" } do
        local scale = objective.aggregations[name](lengths, 5)
        local sum, reversed = 0, 0
        for i = 1, 3 do
            for _, w in ipairs((objective.weights(objective.presets.hone, answers[i], answers[i], i - 2, scale(i)))) do sum = sum + w end
        end
        for i = 3, 1, -1 do
            for _, w in ipairs((objective.weights(objective.presets.hone, answers[i], answers[i], i - 2,
                scale(i)))) do reversed = reversed + w end
        end
        near(sum, reversed, name .. " in another order")
    end
end

-- A bandit with two arms learns the better one under every preset that compares.
for name, preset in pairs(objective.presets) do
    local logits = { 0, 0 }
    for _ = 1, 400 do
        local p, chosen, rewards = softmax(logits), {}, {}
        for i = 1, 8 do
            chosen[i] = uniform() < p[1] and 1 or 2
            rewards[i] = chosen[i] == 1 and 1 or 0.2
        end
        local a = advantages[preset.advantage](rewards)
        local scale = objective.aggregations[preset.aggregation]({ 1, 1, 1, 1, 1, 1, 1, 1 }, 1)
        local gradient = { 0, 0 }
        for i = 1, 8 do
            local l = { math.log(p[chosen[i]]) }
            local w = objective.weights(preset, l, l, a[i], scale(i))[1]
            for j = 1, 2 do gradient[j] = gradient[j] + w * ((chosen[i] == j and 1 or 0) - p[j]) end
        end
        for j = 1, 2 do logits[j] = logits[j] + 0.3 * gradient[j] end
    end
    assert(softmax(logits)[1] > 0.9, name .. " does not find the better arm")
end

print "objective: all cases hold"

do -- a preset that there is not: the presets that there are
    local _, text = pcall(objective.preset, "ppo", "run:contrastive_rl", 1)
    local wanted = 'run:contrastive_rl: no preset "ppo" (presets: cuda_l1, dapo, dr_grpo, grpo, gspo, hone, reinforce, rloo)'
    assert(tostring(text):sub(-#wanted) == wanted, text)
end
