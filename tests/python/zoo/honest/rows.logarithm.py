import torch


class ModelNew(torch.nn.Module):
    def forward(self, a):
        return torch.exp(torch.log_softmax(a, dim=1))
