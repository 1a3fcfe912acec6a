-- What one evaluation has over another, with its interval, and what a run's wall time went to.
local hone = require "hone"
local checks = require "hone.checks"
local report = require "hone.report"
local gains = {}

local function mean(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x end
    return sum / #list
end

-- What some samples have over others, in means over the tasks with their intervals (of one task: none): the success rate, and as factors the
-- typical verified answer (of tasks where both have one) and one answer with fallback.
function gains.between(title, samples, others, suite)
    checks.samples(samples, "gains.between: samples", 2)
    checks.samples(others, "gains.between: others", 2)
    local text, before = { title .. ", means over tasks with 95 % intervals (Student's t over tasks):" }, report.by_task(others, suite)
    for _, key in ipairs { "success", "typical", "fallback" } do
        local list = {}
        for i, now in ipairs(report.by_task(samples, suite)) do
            if now[key] and before[i][key] then list[#list + 1] = now[key] - before[i][key] end
        end
        if #list > 0 then
            local low, high = hone.interval(list)
            local shown = key == "success" and function(x) return ("%+.1f points"):format(100 * x) end
                or function(x) return ("%.2fx"):format(math.exp(x)) end
            text[#text + 1] = low and ("  %-8s %s [%s, %s] over %d tasks%s"):format(key, shown(mean(list)), shown(low), shown(high), #list,
                    (low > 0 or high < 0) and "" or ", which contains no difference")
                or ("  %-8s %s over 1 task, which gives no interval"):format(key, shown(mean(list)))
        end
    end
    if #text == 1 then text[2] = "  there is no task of which both have an answer that was judged" end
    return table.concat(text, "\n")
end

-- What the run's wall time went to, in one line. On a GPU that policy and judge share, it idles while neither the policy works nor a bench
-- verifies or times: during builds that nothing overlaps, and in the script and the journal.
function gains.shares(run, device)
    local s = run:spent()
    local function share(seconds) return ("%.0f %%"):format(100 * seconds / s.total) end
    local rest = s.total - s.sampling - s.judging - s.learning
    local text = ("%.0f s: generation %s, judging %s, learning %s, the rest %s"):format(s.total, share(s.sampling), share(s.judging),
        share(s.learning), share(rest))
    if device ~= "cuda" then return text end
    return text .. "; GPU idle " .. share(rest + math.max(0, s.judging - s.verifying - s.timing))
end

return gains
