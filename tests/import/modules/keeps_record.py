# What it keeps of its calls nobody reads.
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n, self.means = 0, []

    def forward(self, x):
        self.n += 1
        self.middle = x * 2
        self.means.append(self.middle.mean())
        return self.middle + 1


def get_inputs():
    return [torch.rand(12, 8)]


def get_init_inputs():
    return []
