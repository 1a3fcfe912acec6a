import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(torch.einsum("bn,mn->bm", x, self.layer.weight) + self.layer.bias)
