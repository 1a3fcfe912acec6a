local block = min(256, round_up(ceil_div(S, 16), 32))
return {
    workspaces = { partial = 16 * B * C },
    { kernel = "part", grid = { C, B, 1 }, block = block, args = { "a", "partial", C, S } },
    { kernel = "apply", grid = { C, B, 1 }, block = block, args = { "a", "w", "b", "partial", "o", B, C, S } },
}
