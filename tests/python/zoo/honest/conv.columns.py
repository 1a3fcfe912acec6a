import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(16, 8, 3, 3))
        self.bias = torch.nn.Parameter(torch.empty(16))

    def forward(self, x):
        (batch, _, height, width), columns = x.shape, torch.nn.functional.unfold(x, 3, padding=1)
        return torch.relu(self.weight.flatten(1) @ columns + self.bias[:, None]).view(batch, 16, height, width)
