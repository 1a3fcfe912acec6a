import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # a machine without a GPU
    triton = None
else:

    @triton.autotune([triton.Config({"TILE": 32}, num_warps=2), triton.Config({"TILE": 64}, num_warps=4)], key=["m", "n", "k"])
    @triton.jit
    def product_kernel(a, b, o, m, n, k, TILE: tl.constexpr):
        rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
        columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
        total = tl.zeros((TILE, TILE), tl.float32)
        for begin in range(0, k, 32):
            inner = begin + tl.arange(0, 32)
            x = tl.load(a + rows[:, None] * k + inner[None, :], (rows[:, None] < m) & (inner[None, :] < k), other=0)
            y = tl.load(b + inner[:, None] * n + columns[None, :], (inner[:, None] < k) & (columns[None, :] < n), other=0)
            total = tl.dot(x, y, total)
        tl.store(o + rows[:, None] * n + columns[None, :], total, (rows[:, None] < m) & (columns[None, :] < n))


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        if not a.is_cuda:
            return a @ b
        (m, k), n = a.shape, b.shape[1]
        o = torch.empty(m, n, device=a.device)
        product_kernel[lambda meta: (triton.cdiv(m, meta["TILE"]), triton.cdiv(n, meta["TILE"]))](a, b, o, m, n, k)
        return o
