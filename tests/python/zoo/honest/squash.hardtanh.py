import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        return torch.nn.functional.hardtanh(a, -6.0, 6.0)
