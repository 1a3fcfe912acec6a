import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.outputs = torch.nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(self.outputs(x))
