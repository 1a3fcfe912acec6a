local blocks = ceil_div(N, 256)
return {
    workspaces = { result = 4 * N, counters = { bytes = 64, zero = true } },
    { set = "counters", word = 0xabcd1234, offset = 16, bytes = 4 },
    { kernel = "k", grid = blocks, block = 256, args = { "a", "b", "result", { "counters", 4 }, N, double(2.5) } },
    { kernel = "check", grid = 1, block = 1, args = { "result", { "counters", 4 }, { "counters", 16 }, int(blocks) } },
    { copy = "o", from = "result", bytes = 4 * N },
}
