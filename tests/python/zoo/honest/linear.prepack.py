import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)
        self.turned = torch.empty(n, m)

    def prepack(self):
        self.turned = self.layer.weight.t().contiguous()

    def forward(self, x):
        return torch.relu(torch.addmm(self.layer.bias, x, self.turned))
