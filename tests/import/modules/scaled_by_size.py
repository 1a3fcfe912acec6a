# A size in real arithmetic: it becomes a number, while the other one stays open.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * x.shape[1] ** -0.5 / (0.1 * x.shape[1])


def get_inputs():
    return [torch.rand(12, 8)]


def get_init_inputs():
    return []
