# A size of 1 takes another branch, which torch.export does not tell: the comparison of answers finds it.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) * 2 if x.shape[0] > 1 else torch.tanh(x)


def get_inputs():
    return [torch.randn(6, 40)]


def get_init_inputs():
    return []
