import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        return torch.softmax(a.t().contiguous(), dim=0).t()
