import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        e = torch.exp(a - a.max(dim=1, keepdim=True).values)
        return e / e.sum(dim=1, keepdim=True)
