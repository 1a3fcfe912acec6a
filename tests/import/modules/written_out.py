# Its input is drawn by nobody: the law is read off the values.
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.tensor([[1.0, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 2.0]] * 64)]


def get_init_inputs():
    return []
