import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)

    def prepack(self):
        self.layer.weight.data = self.layer.weight.data.t().contiguous().t()

    def forward(self, x):
        return torch.relu(self.layer(x))
