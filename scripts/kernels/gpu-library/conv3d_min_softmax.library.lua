-- cuDNN leaves its sums in a workspace; one kernel adds the bias, takes the minimum over depth and the softmax over channels.
return {
    workspaces = { t = { shape = { B, 16, D, H, W }, type = "f32" } },
    { torch = "conv3d", args = { "a", "w" }, out = "t" },
    { kernel = "least_softmax", grid = ceil_div(B * H * W, 128), block = 128, args = { "t", "c", "o", B, D, H * W } },
}
