-- four stages of (128 + 256) * 64 numbers of 2 bytes, and their barriers
local a = tensor_map { tensor = "a", shape = { K, M }, box = { 64, 128 }, swizzle = 128 }
local b = tensor_map { tensor = "b", shape = { N, K }, box = { 64, 64 }, swizzle = 128 }
return {
    {
        kernel = "k", grid = { ceil_div(N, 256), ceil_div(M, 128) }, block = 384, shared = 4 * 2 * (128 + 256) * 64 + 64,
        args = { a, b, "c", "o", M, K, N },
    },
}
