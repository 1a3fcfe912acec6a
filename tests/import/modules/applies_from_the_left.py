# A weight on the left of a product: its sums have as many terms as it has columns.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 300))

    def forward(self, x):
        return self.weight @ x


def get_inputs():
    return [torch.randn(300, 40)]


def get_init_inputs():
    return []
