import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)
        self.register_buffer("turned", self.layer.weight.t().contiguous())

    def forward(self, x):
        return torch.relu(x @ self.turned + self.layer.bias)
