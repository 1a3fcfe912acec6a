import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # a machine without a GPU
    triton = None
else:

    @triton.jit
    def mix_kernel(a, b, o, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(o + at, 2 * tl.load(a + at, inside) + tl.load(b + at, inside), inside)


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        if not a.is_cuda:
            return 2 * a + b
        o = torch.empty_like(a)
        mix_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, o, a.numel(), BLOCK=1024)
        return o
