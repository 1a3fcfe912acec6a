return {
    workspaces = { gx = 4 * T * B * 4 * H, word = { bytes = 8, zero = true } },
    { kernel = "project", grid = { ceil_div(4 * H, 32), ceil_div(T * B, 32) }, block = 256, args = { "x", "wi", "bi", "gx", T * B, 4 * H, H } },
    {
        kernel = "steps", grid = H // 4, block = 256, shared = 4 * 16 * H, cooperative = true,
        args = { "gx", "h", "c", "wh", "bh", "o", "last", "word", T, B, H },
    },
}
