import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return torch.add(b, a, alpha=2)
