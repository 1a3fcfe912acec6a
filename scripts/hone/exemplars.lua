-- Which earlier programs a prompt shows. A strategy is a function (archive, task, rng) -> list of exemplars ({}: none), drawn once for each
-- group. run:write refuses what is no list of records with hash and code.
-- Speed-ups are logarithms here, since one 100x program would own a softmax over plain ratios.
local exemplars = {}

local function choose(list, rng, count)
    local shuffled = rng:shuffle(list)
    return { table.unpack(shuffled, 1, math.min(count, #shuffled)) }
end

exemplars.strategies = {
    none = function() return {} end,
    random = function(archive, task, rng) return choose(archive:find { task = task, order = "age" }, rng, 2) end,
}

-- Buckets of `width` in log speed-up; two different buckets, drawn with probability ~ exp(mean of the bucket / temperature), and one
-- program of each (arXiv 2507.14111, section 2.4; it leaves width and temperature open). Fewer than two buckets: any two programs.
function exemplars.bucket(width, temperature)
    return function(archive, task, rng)
        local found, buckets, keys = archive:find { task = task, order = "age" }, {}, {}
        for _, e in ipairs(found) do
            local key = math.floor(e.log_speedup.estimate / width)
            if not buckets[key] then
                buckets[key] = { list = {}, sum = 0 }
                keys[#keys + 1] = key
            end
            table.insert(buckets[key].list, e)
            buckets[key].sum = buckets[key].sum + e.log_speedup.estimate
        end
        if #keys < 2 then return choose(found, rng, 2) end
        local drawn = {}
        while #drawn < 2 do
            local weights = {}
            for i, key in ipairs(keys) do weights[i] = math.exp(math.max(buckets[key].sum / #buckets[key].list, -20) / temperature) end
            local key, at = rng:pick(keys, weights)
            table.remove(keys, at)
            drawn[#drawn + 1] = rng:pick(buckets[key].list)
        end
        return rng:shuffle(drawn)
    end
end
exemplars.strategies.bucket = exemplars.bucket(0.5 * math.log(2), 2 * math.log(2))

-- Islands as in FunSearch: programs live on one of `count` islands by their hash; a prompt shows the two best of one island.
function exemplars.island(count)
    return function(archive, task, rng)
        local islands = {}
        for i = 1, count do islands[i] = {} end
        for _, e in ipairs(archive:find { task = task }) do
            local home = tonumber(e.hash:sub(1, 4), 16) % count + 1
            table.insert(islands[home], e)
        end
        local home = rng:pick(islands)
        return rng:shuffle { home[1], home[2] }
    end
end
exemplars.strategies.island = exemplars.island(4)

-- A strategy by its name, or a function of one's own.
function exemplars.strategy(choice)
    if type(choice) == "function" then return choice end
    local found = exemplars.strategies[choice]
    if found then return found end
    local names = {}
    for name in pairs(exemplars.strategies) do names[#names + 1] = name end
    table.sort(names)
    error(("no exemplar strategy %q; there are: %s, or a function (archive, task, rng)"):format(tostring(choice), table.concat(names,
        ", ")), 3)
end

return exemplars
