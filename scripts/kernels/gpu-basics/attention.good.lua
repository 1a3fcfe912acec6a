-- 128 queries and rows of weights, 64 keys (rows of 68 numbers), 64 values
return {
    options = { "--ftz=true" }, -- exp2f is then one instruction
    { kernel = "k", grid = { ceil_div(S, 128), H }, block = 256, shared = 4 * ((128 + 64 + 128) * 68 + 64 * 64) },
}
