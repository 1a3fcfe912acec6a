import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        e = torch.exp(a)
        return e / e.sum(dim=1, keepdim=True)
