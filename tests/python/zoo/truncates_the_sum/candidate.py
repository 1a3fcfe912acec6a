import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(torch.nn.functional.linear(x[:, :-1], self.layer.weight[:, :-1], self.layer.bias))
