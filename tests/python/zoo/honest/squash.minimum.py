import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        return torch.minimum(torch.maximum(a, a.new_tensor(-6.0)), a.new_tensor(6.0))
