import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        o = a * 2
        o += b
        return o
