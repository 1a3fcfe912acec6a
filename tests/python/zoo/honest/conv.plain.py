import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(16, 8, 3, 3))
        self.bias = torch.nn.Parameter(torch.empty(16))

    def forward(self, x):
        return torch.relu(torch.conv2d(x, self.weight, self.bias, padding=1))
