import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(16, 8, 3, 3))
        self.bias = torch.nn.Parameter(torch.empty(16))

    def forward(self, x):
        x, weight = (t.contiguous(memory_format=torch.channels_last) for t in (x, self.weight))
        return torch.conv2d(x, weight, self.bias, padding=1).relu_()
