import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        kept = a.clone()
        a.mul_(2).add_(b)
        answer = a.clone()
        a.copy_(kept)
        return answer
