# Decides by a size: the task is one branch, and holds at the sizes that take this branch.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if x.shape[0] > 4:
            return torch.tanh(x) * 2
        return torch.tanh(x)


def get_inputs():
    return [torch.randn(6, 40)]


def get_init_inputs():
    return []
