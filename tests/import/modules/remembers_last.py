# The last call's input, which the next one adds: a first call does not tell.
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        result = x if self.last is None else x + self.last
        self.last = x
        return result * 2


def get_inputs():
    return [torch.rand(12, 8)]


def get_init_inputs():
    return []
