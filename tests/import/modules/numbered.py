# A weight that is one number, and an output that is one row shorter than the input.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, n, start):
        super().__init__()
        self.linear, self.factor = nn.Linear(n, n), nn.Parameter(torch.tensor(start))

    def forward(self, x):
        y = torch.min(self.linear(x), self.factor) * self.factor
        return y[1:] - y[:-1]


def get_inputs():
    return [torch.rand(512, 24)]


def get_init_inputs():
    return [24, 0.5]
