-- 16 elements a thread, where a group has room in a block's registers
local n = 8 * S
return { {
    kernel = n <= 16384 and "k" or "long_groups", grid = { B * G, 1, 1 },
    block = n <= 16384 and round_up(ceil_div(n, 16), 32) or 1024,
} }
