import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)

    def prepack(self):
        self.bias = self.layer.bias  # a second name of one weight

    def forward(self, x):
        return torch.relu(x @ self.layer.weight.t() + self.bias)
