return {
    { kernel = "least", grid = ceil_div(B * 16 * H * W, 256), block = 256 },
    { kernel = "softmax", grid = ceil_div(B * H * W, 256), block = 256, args = { "o", B, H, W } },
}
