import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        o = torch.empty_like(a)
        torch.add(b, a, alpha=2, out=o)
        return o
