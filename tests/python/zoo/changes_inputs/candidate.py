import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return a.mul_(2).add_(b)
