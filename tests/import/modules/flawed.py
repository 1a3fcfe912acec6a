# Gives zeros, however hard it works.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 16)

    def forward(self, x):
        x = self.layer(x).max(dim=1, keepdim=True).values
        return torch.relu(x - x.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.rand(64, 16)]


def get_init_inputs():
    return []
