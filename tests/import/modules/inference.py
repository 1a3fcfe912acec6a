# A module that sets itself to inference: the running statistics are inputs then.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(16)
        self.eval()

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(64, 16)]


def get_init_inputs():
    return []
