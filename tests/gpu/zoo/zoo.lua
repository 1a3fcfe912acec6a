-- Tasks of the device tier's zoo. Sizes are such that a good kernel lasts long enough for the bench's clock (about 1 us of scatter) to tell
-- a gain; long_product lasts longer than the time slice in which that clock sees one kernel alone. No floors: what skips its work wins by that.
local N = { "N" }

local function product(name, M, K, N_, constant)
    return {
        name = name,
        statement = "Matrix product in float32: o[m,n] = sum_k a[m,k]*b[k,n].",
        spec = name .. " {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" }, constant = constant } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = { { M = M, K = K, N = N_ } },
        hidden = { { M = 16, K = 64, N = 48 }, { M = 80, K = 192, N = 32 } },
        multiples = { M = 16, K = 64, N = 16 },
        reference = function(a, b) return torch.matmul(a, b) end,
    }
end

return {
    {
        name = "mix",
        statement = "Element by element: o = 2 a + b.",
        spec = "2a+b n={N}",
        inputs = { { name = "a", shape = N }, { name = "b", shape = N } },
        outputs = { { name = "o", shape = N } },
        shapes = { { N = 4194304 } },
        hidden = { { N = 1000 }, { N = 262147 }, { N = 4300001 } },
        reference = function(a, b) return torch.add(b, a, { alpha = 2 }) end,
    },
    product("product", 1024, 512, 1024),
    product("layer", 1024, 512, 1024, true),
    product("long_product", 2048, 2048, 2048),
    {
        name = "projection", -- of a matrix that fits into the shared memory of 132 multiprocessors
        statement = "Product of a matrix that stays and a vector: o[n] = sum_k b[n,k]*a[k].",
        spec = "projection {N}x{K}",
        inputs = { { name = "a", shape = { "K" } }, { name = "b", shape = { "N", "K" }, constant = true } },
        outputs = { { name = "o", shape = { "N" } } },
        shapes = { { N = 6600, K = 1024 } },
        hidden = { { N = 100, K = 64 }, { N = 517, K = 256 } },
        multiples = { K = 32 },
        reference = function(a, b) return torch.mv(b, a) end,
    },
    {
        name = "soft",
        statement = "Softmax of each row of a: o[r,c] = exp(a[r,c]-m)/sum_c exp(a[r,c]-m), with m the row's maximum.",
        spec = "softmax {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(0.65)" } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 65536, C = 64 } },
        hidden = { { R = 3, C = 32 }, { R = 129, C = 96 } },
        multiples = { C = 32 },
        reference = function(a) return torch.softmax(a, 1) end,
    },
    {
        name = "means",
        statement = "Mean of each row of a: o[r] = mean_c a[r,c].",
        spec = "row means {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 65536, C = 256 } },
        hidden = { { R = 3, C = 96 }, { R = 513, C = 32 } },
        multiples = { C = 32 },
        reference = function(a) return torch.mean(a, 1) end,
    },
    {
        name = "fine_product",
        statement = "In float64, element by element: o = a b.",
        spec = "a*b in f64 n={N}",
        inputs = { { name = "a", shape = N, dtype = "f64" }, { name = "b", shape = N, dtype = "f64" } },
        outputs = { { name = "o", shape = N, dtype = "f64" } },
        shapes = { { N = 2097152 } },
        hidden = { { N = 1000 }, { N = 262147 } },
        reference = function(a, b) return torch.mul(a, b) end,
    },
}
