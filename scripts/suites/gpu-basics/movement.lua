-- Data moved, nothing computed.
return {
    {
        name = "transpose",
        statement = "Transpose: o[c,r] = a[r,c]; a has R rows of C values, o has C rows of R.",
        spec = "transpose {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "C", "R" } } },
        shapes = { { R = 4096, C = 3072 }, { R = 2048, C = 4096, role = "auxiliary" }, { R = 6144, C = 2048, role = "held-out" } },
        hidden = { { R = 1, C = 1 }, { R = 37, C = 193 }, { R = "R+1", C = "C+1" } },
        bytes = "8*R*C",
        reference = function(a) return torch.contiguous(torch.t(a)) end,
    },
    {
        name = "swap_heads",
        statement = "Heads before positions: o[b,h,s,d] = a[b,s,h,d].",
        spec = "swap_heads {B}x{S}x{H}x{D}",
        inputs = { { name = "a", shape = { "B", "S", "H", "D" } } },
        outputs = { { name = "o", shape = { "B", "H", "S", "D" } } },
        shapes = { { B = 6, S = 1024, H = 16, D = 128 }, { B = 8, S = 1024, H = 16, D = 64, role = "auxiliary" },
            { B = 4, S = 1536, H = 32, D = 64, role = "held-out" } },
        hidden = { { B = 1, S = 1, H = 1, D = 1 }, { B = 2, S = 37, H = 5, D = 13 }, { B = "B+1", S = "S+1", H = "H+1", D = "D+1" } },
        bytes = "8*B*S*H*D",
        reference = function(a) return torch.contiguous(torch.transpose(a, 1, 2)) end,
    },
    {
        name = "embedding",
        statement = "Rows of a table: o[n,d] = w[b[n],d]; w has V rows of D values, b holds row numbers.",
        spec = "embedding {V}x{D}x{N}",
        inputs = { { name = "w", shape = { "V", "D" } }, { name = "b", dtype = "i64", shape = { "N" }, law = "index(V)" } },
        outputs = { { name = "o", shape = { "N", "D" } } },
        shapes = { { V = 16384, D = 1024, N = 12288 }, { V = 32768, D = 512, N = 16384, role = "auxiliary" },
            { V = 8192, D = 2048, N = 8192, role = "held-out" } },
        hidden = { { V = 1, D = 1, N = 1 }, { V = 211, D = 37, N = 101 }, { V = "V+1", D = "D+1", N = "N+1" } },
        -- of N rows drawn, so many are different ones; a tenth fewer, to be on the safe side
        bytes = "4*D*(N+0.9*V*(1-math.exp(-N/V)))+8*N",
        reference = function(w, b) return torch.embedding(w, b) end,
    },
}
