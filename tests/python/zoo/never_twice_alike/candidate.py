import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (2 * a + b) * (1 + 1e-7 * torch.randint(0, 3, a.shape, device=a.device))
