-- 128 queries, two tiles of 64 keys and 64 values, rows of 72 numbers of 2 bytes
return {
    options = { "--use_fast_math" },
    { kernel = "k", grid = { ceil_div(S, 128), H }, block = 128, shared = 2 * 72 * (128 + 2 * 128) },
}
