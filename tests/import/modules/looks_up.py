# The table has no fewer rows than what is looked up in it: one size may not grow alone, nor both by one at once.
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, where):
        return x.gather(1, where)


def get_inputs():
    return [torch.rand(64, 256), torch.randint(0, 256, (64, 8))]


def get_init_inputs():
    return []
