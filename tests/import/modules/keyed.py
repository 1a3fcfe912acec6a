# Arguments of Model by place and by name.
import torch


class Model(torch.nn.Module):
    def __init__(self, width, bias=True):
        super().__init__()
        self.layer = torch.nn.Linear(width, 8, bias=bias)

    def forward(self, x):
        return self.layer(x)


def get_inputs():
    return [torch.randn(32, 24)]


def get_init_inputs():
    return [[24], {"bias": False}]
