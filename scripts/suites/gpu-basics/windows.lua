-- Convolutions and windows over images.
return {
    {
        name = "conv1x1",
        statement = "1x1 convolution of K channels into M: o[m,i,j] = sum_k a[k,i,j]*w[m,k].",
        spec = "conv1x1 {K}x{H}x{W}x{M}",
        inputs = { { name = "a", shape = { "K", "H", "W" } }, { name = "w", shape = { "M", "K" } } },
        outputs = { { name = "o", shape = { "M", "H", "W" } } },
        shapes = {
            { K = 256, H = 128, W = 128, M = 256 }, { K = 128, H = 128, W = 128, M = 512, role = "auxiliary" },
            { K = 512, H = 64, W = 128, M = 256, role = "held-out" },
        },
        hidden = { { K = 4, H = 1, W = 4, M = 1 }, { K = 52, H = 7, W = 44, M = 37 }, { K = "K+4", H = "H+1", W = "W+4", M = "M+1" } },
        multiples = { K = 4, W = 4 }, flops = "(2*K-1)*H*W*M", bytes = "4*((K+M)*H*W+K*M)",
        reference = function(a, w)
            local filters = torch.unsqueeze(torch.unsqueeze(w, 2), 3)
            return torch.squeeze(torch.conv2d(torch.unsqueeze(a, 0), filters), 0)
        end,
    },
}
