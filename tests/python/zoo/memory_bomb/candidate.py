import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        torch.empty(12 << 30, dtype=torch.uint8, device="cpu")
        return 2 * a + b
