import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        if not a.is_cuda:
            return 2 * a + b
        o, middle, here, side = torch.empty_like(a), a.numel() // 2, torch.cuda.current_stream(), torch.cuda.Stream()
        side.wait_stream(here)
        torch.add(b[:middle], a[:middle], alpha=2, out=o[:middle])
        with torch.cuda.stream(side):
            torch.add(b[middle:], a[middle:], alpha=2, out=o[middle:])
        here.wait_stream(side)
        return o
