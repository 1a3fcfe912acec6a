# Whole numbers of both signs: no law of a task draws them.
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, by):
        return x * by


def get_inputs():
    return [torch.rand(8, 16), torch.randint(-3, 4, (8, 16))]


def get_init_inputs():
    return []
