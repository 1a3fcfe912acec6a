return {
    workspaces = { gx = 4 * T * B * 3 * H, word = { bytes = 8, zero = true } },
    { kernel = "project", grid = { ceil_div(3 * H, 32), ceil_div(T * B, 32) }, block = 256, args = { "x", "wi", "bi", "gx", T * B, 3 * H, H } },
    {
        kernel = "steps", grid = H // 4, block = 256, shared = 4 * 12 * H, cooperative = true,
        args = { "gx", "h", "wh", "bh", "o", "word", T, B, H },
    },
}
