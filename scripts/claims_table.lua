-- Joins the claims.tsv of several seeds into the tables of docs/results/training.md. Intervals: of 95 %, Student's t over tasks,
-- of the mean over seeds (those of 21 November 2026 are a bootstrap's).
local hone = require "hone"
local files = hone.settings("files", "")

local function split(text, separator)
    local list = {}
    for part in (text .. separator):gmatch("(.-)" .. separator) do list[#list + 1] = part end
    return list
end

-- data[condition][task] = list over seeds of {success, typical, ...}
local function read(paths)
    local data, conditions = {}, {}
    for _, path in ipairs(split(paths, ",")) do
        local names
        for line in io.lines(path) do
            local cells = split(line, "\t")
            if not names then names = cells
            else
                local row = {}
                for i, name in ipairs(names) do row[name] = tonumber(cells[i]) or (cells[i] ~= "-" and cells[i] or nil) end
                if not data[row.condition] then
                    data[row.condition] = {}
                    conditions[#conditions + 1] = row.condition
                end
                local tasks = data[row.condition]
                tasks[row.task] = tasks[row.task] or {}
                table.insert(tasks[row.task], row)
            end
        end
    end
    return data, conditions
end

local function mean(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x end
    return #list > 0 and sum / #list or nil
end

local function over_seeds(rows, key)
    local list = {}
    for _, row in ipairs(rows or {}) do
        if row[key] then list[#list + 1] = row[key] end
    end
    return mean(list)
end

-- Differences by task of a key between two conditions, where both have a value.
local function differences(data, a, b, key)
    local list = {}
    for task, rows in pairs(data[a] or {}) do
        local x, y = over_seeds(rows, key), over_seeds(data[b] and data[b][task], key)
        if x and y then list[#list + 1] = x - y end
    end
    return list
end

local function cell(key, value)
    if not value then return "-" end
    if key == "success" or key == "novel" then return ("%.1f %%"):format(100 * value) end
    if key == "distinct" then return ("%.1f"):format(value) end
    return ("%.2fx"):format(math.exp(value))
end

local function condition_line(data, condition)
    local cells, count = {}, 0
    for _, key in ipairs { "success", "typical", "fallback", "best", "distinct", "novel" } do
        local list = {}
        for _, rows in pairs(data[condition]) do list[#list + 1] = over_seeds(rows, key) end
        count = math.max(count, #list)
        cells[#cells + 1] = cell(key, mean(list))
    end
    return ("| %s | %d | %s |"):format(condition, count, table.concat(cells, " | "))
end

local function comparison_line(data, a, b, key)
    local list = differences(data, a, b, key)
    if #list == 0 then return nil end
    local low, high = hone.interval(list)
    local of = key == "success" and "success rate" or "ln x, " .. key
    return ("| %s less %s | %s | %d | %+.3f | %s |"):format(a, b, of, #list, mean(list),
        low and ("%+.3f .. %+.3f"):format(low, high) or "none of one task")
end

local data, conditions = read(files)
print("| condition | tasks | success | typical | fallback | best, measured again | distinct a task | novel machine code |")
print("|---|---|---|---|---|---|---|---|")
for _, condition in ipairs(conditions) do print(condition_line(data, condition)) end
print("\n| difference | of | tasks | mean | 95 % interval |\n|---|---|---|---|---|")
for _, pair in ipairs {
    { "all three", "SFT" }, { "self-supervised", "SFT" }, { "self-supervised", "more SFT" }, { "all three", "self-supervised" },
    { "all three", "RL without exemplars" }, { "RL with shuffled scores", "self-supervised" }, { "RL with shuffled speeds", "self-supervised" },
    { "all three", "RL with shuffled scores" }, { "all three", "RL with shuffled speeds" },
    { "all three, held out", "SFT, held out" }, { "SFT, exemplars shown", "SFT" },
} do
    for _, key in ipairs { "success", "typical", "fallback" } do
        local line = comparison_line(data, pair[1], pair[2], key)
        if line then print(line) end
    end
end
print(comparison_line(data, "all three, best found", "random search, best found", "best") or "")
