# A dictionary, whose keys are in no order of the alphabet, with a tuple in it.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return {"scaled": x * 2, "parts": (x.sum(1), x + 1)}


def get_inputs():
    return [torch.rand(12, 8)]


def get_init_inputs():
    return []
