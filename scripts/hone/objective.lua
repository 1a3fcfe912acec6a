-- Objectives of policy-gradient learning as pure functions: rewards -> advantages -> one weight a token. policy:learn ascends the sum of
-- weight x logp, so a weight is the derivative of the objective by that token's log-probability. All log-probabilities are those of the
-- distribution that was sampled. A reward of false is an answer without a score: it has no advantage and no part in any mean.
local objective = {}

-- The rewards that are numbers.
local function scored(rewards)
    local list = {}
    for _, r in ipairs(rewards) do
        if r then list[#list + 1] = r end
    end
    return list
end

local function mean(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x end
    return sum / #list
end

-- Standard deviation with count - 1 in the divisor; 0 for fewer than two values.
local function deviation(list)
    if #list < 2 then return 0 end
    local m, sum = mean(list), 0
    for _, x in ipairs(list) do sum = sum + (x - m) ^ 2 end
    return math.sqrt(sum / (#list - 1))
end

objective.scored, objective.mean, objective.deviation = scored, mean, deviation

-- ---- advantages: one group's rewards -> one number a member, false where the reward is. Where nothing can be compared, because fewer than
-- two members are scored or all are equal, exact zeros (but reinforce, which compares with nothing).
local function relative(to)
    return function(rewards)
        local list, result = scored(rewards), {}
        local center, scale = 0, 0
        if #list >= 2 and math.max(table.unpack(list)) > math.min(table.unpack(list)) then center, scale = to(list) end
        for i, r in ipairs(rewards) do result[i] = r and (r - center) * scale end
        return result
    end
end

objective.advantages = {
    grpo = relative(function(list) return mean(list), 1 / (deviation(list) + 1e-4) end), -- DeepSeekMath, arXiv 2402.03300
    dr_grpo = relative(function(list) return mean(list), 1 end),                         -- arXiv 2503.20783: no division by the deviation
    rloo = relative(function(list) return mean(list), #list / (#list - 1) end),          -- leave-one-out, arXiv 2402.14740
}
function objective.advantages.reinforce(rewards) return { table.unpack(rewards) } end

-- A group whose rewards are all equal, or one, says nothing: leave it out, and out of every normaliser.
function objective.degenerate(rewards)
    local list = scored(rewards)
    return #list < 2 or math.max(table.unpack(list)) == math.min(table.unpack(list))
end

-- ---- one scale an answer, from the numbers of trained tokens of the whole batch
objective.aggregations = {
    ["token-mean"] = function(lengths)
        local total = 0
        for _, n in ipairs(lengths) do total = total + n end
        return function() return 1 / math.max(total, 1) end
    end,
    ["sequence-mean"] = function(lengths) return function(i) return 1 / (#lengths * math.max(lengths[i], 1)) end end,
    ["sequence-sum"] = function(lengths) return function() return 1 / #lengths end end,
    constant = function(lengths, limit) return function() return 1 / (#lengths * limit) end end, -- limit: the longest answer allowed
}

local function bounded(log_ratio) return math.exp(math.max(-20, math.min(20, log_ratio))) end

-- Ratios of the policy to the one that sampled, one a token. "sequence" (GSPO, arXiv 2507.18071): their geometric mean, for every token.
function objective.ratios(kind, logp, old)
    local list, sum = {}, 0
    for t = 1, #old do
        list[t] = bounded(logp[t] - old[t])
        sum = sum + logp[t] - old[t]
    end
    if kind == "sequence" then
        local whole = bounded(sum / math.max(#old, 1))
        for t = 1, #old do list[t] = whole end
    end
    return list
end

-- Derivative of min(r A, clip(r, 1 - low, 1 + high) A) by log r, and whether the clip cut it off. dual: for A < 0 the value is at least
-- dual x A.
function objective.clipped(ratio, advantage, low, high, dual)
    if advantage >= 0 then
        if ratio > 1 + high then return 0, true end
    elseif ratio < 1 - low or (dual and ratio > dual) then
        return 0, true
    end
    return ratio * advantage, false
end

-- Derivatives by logp of estimators of the KL divergence from a reference, d = logp - reference. k1 has none in expectation; k3's is that
-- of the opposite divergence; k2's is exact on-policy.
objective.divergences = {
    k1 = function() return 1 end,
    k2 = function(d) return d end,
    k3 = function(d) return math.max(-10, math.min(10, 1 - math.exp(math.min(-d, 10)))) end,
}

-- ---- presets: advantage, ratio, surrogate, clip, aggregation, KL to a frozen reference (0: none). truncate: the most that the surrogate
-- "reinforce" weighs a token by its ratio, for what sampling and learning compute differently (truncated importance sampling, Yao et al. 2025)
objective.presets = {
    hone = { advantage = "dr_grpo", ratio = "token", clip_low = 0.2, clip_high = 0.28, aggregation = "token-mean" },
    grpo = { advantage = "grpo", ratio = "token", clip_low = 0.2, clip_high = 0.2, aggregation = "sequence-mean" },
    dr_grpo = { advantage = "dr_grpo", ratio = "token", clip_low = 0.2, clip_high = 0.2, aggregation = "constant" },
    dapo = { advantage = "grpo", ratio = "token", clip_low = 0.2, clip_high = 0.28, aggregation = "token-mean" },
        -- arXiv 2503.14476
    gspo = { advantage = "grpo", ratio = "sequence", clip_low = 3e-4, clip_high = 4e-4, aggregation = "sequence-mean" },
    rloo = { advantage = "rloo", surrogate = "reinforce", truncate = 2, aggregation = "sequence-sum" },
    reinforce = { advantage = "reinforce", surrogate = "reinforce", truncate = 2, aggregation = "sequence-sum" },
    -- arXiv 2507.14111 gives the form only; clip and KL weight are the customary ones
    cuda_l1 = { advantage = "grpo", ratio = "token", clip_low = 0.2, clip_high = 0.2, aggregation = "sequence-mean", kl = 0.001,
        divergence = "k3" },
}

-- A preset by name. level: of the caller to blame, as in error().
function objective.preset(name, place, level)
    if objective.presets[name] then return objective.presets[name] end
    local names = {}
    for known in pairs(objective.presets) do names[#names + 1] = known end
    table.sort(names)
    error(("%s: no preset \"%s\" (presets: %s)"):format(place, tostring(name), table.concat(names, ", ")), level)
end

-- Weights of one answer. logp: present log-probabilities of its tokens, old: those at sampling, reference: a frozen model's (or nil),
-- scale: from an aggregation. Second result: numbers to log (clipped tokens, summed k3, tokens, summed |logp - old|).
function objective.weights(preset, logp, old, advantage, scale, reference)
    local weights, clipped, divergence, off = {}, 0, 0, 0
    local reinforces = preset.surrogate == "reinforce"
    local ratios = (not reinforces or preset.truncate) and objective.ratios(preset.ratio, logp, old)
    local slope = objective.divergences[preset.divergence or "k3"]
    for t = 1, #old do
        local weight, cut = advantage, false
        if ratios and reinforces then weight = advantage * math.min(ratios[t], preset.truncate)
        elseif ratios then weight, cut = objective.clipped(ratios[t], advantage, preset.clip_low, preset.clip_high, preset.dual_clip) end
        if cut then clipped = clipped + 1 end
        off = off + math.abs(logp[t] - old[t])
        if reference then
            local d = logp[t] - reference[t]
            weight = weight - (preset.kl or 0) * slope(d)
            divergence = divergence + math.exp(math.min(-d, 10)) + d - 1
        end
        weights[t] = weight * scale
    end
    return weights, { clipped = clipped, kl = divergence, tokens = #old, off = off }
end

-- Rewards of a batch (a list of groups) -> advantages, with degenerate groups false, and how many those are.
function objective.batch_advantages(groups, preset)
    local result, dropped = {}, 0
    for g, rewards in ipairs(groups) do
        if objective.degenerate(rewards) and preset.advantage ~= "reinforce" then
            result[g], dropped = false, dropped + 1
        else
            result[g] = objective.advantages[preset.advantage](rewards)
        end
    end
    return result, dropped
end

return objective
