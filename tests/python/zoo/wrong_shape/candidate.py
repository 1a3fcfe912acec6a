import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (2 * a + b).mean().reshape(1)
