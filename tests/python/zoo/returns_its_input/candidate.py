import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        return a.clone()
