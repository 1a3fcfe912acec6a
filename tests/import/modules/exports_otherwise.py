# Another function when it is exported: what the comparison of answers is for.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.exp() if torch.compiler.is_exporting() else x.exp() + 1e-3


def get_inputs():
    return [torch.randn(64, 3)]


def get_init_inputs():
    return []
