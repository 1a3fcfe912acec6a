import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.w = torch.nn.Parameter(torch.empty(m, n))
        self.b = torch.nn.Parameter(torch.empty(m))

    def forward(self, x):
        return torch.addmm(self.b, x, self.w.t()).relu_()
