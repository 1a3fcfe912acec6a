import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer, self.turned = torch.nn.Linear(n, m), None

    def forward(self, x):
        if self.turned is None:
            self.turned = self.layer.weight.t().contiguous()
        return torch.relu(x @ self.turned + self.layer.bias)
