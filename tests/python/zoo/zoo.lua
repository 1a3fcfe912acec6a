-- Tasks of the zoo of Python programs.
local module = [=[
import torch


class Model(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(self.layer(x))


def get_init_inputs():
    return [96, 64]
]=]
local N, RC = { "N" }, { "R", "C" }
return {
    {
        name = "mix",
        statement = "Element by element: o = 2 a + b.",
        spec = "2a+b n={N}",
        inputs = { { name = "a", shape = N }, { name = "b", shape = N } },
        outputs = { { name = "o", shape = N } },
        shapes = { { N = 65536 } },
        hidden = { { N = 1024 }, { N = 511 } },
        reference = function(a, b) return 2 * a + b end,
    },
    {
        name = "squash",
        statement = "Element by element: o = a where |a| < 6, else 6 with the sign of a.",
        spec = "squash n={N}",
        inputs = { { name = "a", shape = N } },
        outputs = { { name = "o", shape = N } },
        shapes = { { N = 65536 } },
        hidden = { { N = 1024 }, { N = 511 } },
        reference = function(a) return torch.clamp(a, -6, 6) end,
    },
    {
        name = "rows",
        statement = "Softmax of each row.",
        spec = "softmax {R}x{C}",
        inputs = { { name = "a", shape = RC } },
        outputs = { { name = "o", shape = RC } },
        shapes = { { R = 256, C = 512 } },
        hidden = { { R = 3, C = 17 }, { R = 65, C = 128 } },
        reference = function(a) return torch.softmax(a, 1) end,
    },
    {
        name = "linear",
        statement = "The module Model of this file. Its weights are inputs.\n\n" .. module,
        device = { module = module },
        spec = "linear {B}",
        inputs = {
            { name = "x", shape = { "B", 96 } },
            { name = "layer_weight", shape = { 64, 96 }, law = "uniform(0.2)", constant = true },
            { name = "layer_bias", shape = { 64 }, constant = true },
        },
        outputs = { { name = "o", shape = { "B", 64 } } },
        shapes = { { B = 512 } },
        hidden = { { B = 1 }, { B = 33 } },
        reference = function(x, w, b) return torch.relu(torch.linear(x, w, b)) end,
    },
    {
        name = "conv",
        statement = "A convolution of 3 x 3 with a border of zeros and a bias, then a rectifier.",
        spec = "conv {B} {H}x{H}",
        inputs = {
            { name = "x", shape = { "B", 8, "H", "H" } },
            { name = "weight", shape = { 16, 8, 3, 3 }, law = "uniform(0.2)", constant = true },
            { name = "bias", shape = { 16 }, constant = true },
        },
        outputs = { { name = "o", shape = { "B", 16, "H", "H" } } },
        shapes = { { B = 8, H = 16 } },
        hidden = { { B = 1, H = 7 }, { B = 3, H = 16 } },
        reference = function(x, w, b) return torch.relu(torch.conv2d(x, w, b, { 1, 1 }, { 1, 1 })) end,
    },
    {
        name = "product",
        statement = "A product of matrices, exact to the digits of bfloat16.",
        spec = "product {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = { { M = 256, K = 128, N = 192 } },
        hidden = { { M = 17, K = 64, N = 33 }, { M = 64, K = 96, N = 1 } },
        terms = { "K" },
        tolerance = "bf16",
        reference = function(a, b) return torch.matmul(a, b) end,
    },
}
