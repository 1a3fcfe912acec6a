import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # a machine without a GPU
    triton = None
else:

    @triton.jit
    def softmax_kernel(a, o, columns, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        row = tl.program_id(0) * columns
        x = tl.load(a + row + at, at < columns, other=-float("inf"))
        e = tl.exp(x - tl.max(x, 0))
        tl.store(o + row + at, e / tl.sum(e, 0), at < columns)


class ModelNew(torch.nn.Module):
    def forward(self, a):
        if not a.is_cuda:
            return torch.softmax(a, 1)
        o = torch.empty_like(a)
        softmax_kernel[(a.shape[0],)](a, o, a.shape[1], BLOCK=triton.next_power_of_2(a.shape[1]))
        return o
