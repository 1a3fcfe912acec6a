import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return torch.cat([2 * x + y for x, y in zip(a.split(1000), b.split(1000))])
