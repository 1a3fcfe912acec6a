# How many numbers it sums is no entry of a shape that a task can write.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x[:, :min(x.shape[1], 16)].sum(1)


def get_inputs():
    return [torch.rand(12, 8)]


def get_init_inputs():
    return []
