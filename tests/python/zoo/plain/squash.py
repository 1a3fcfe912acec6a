import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        return torch.clamp(a, -6, 6)
