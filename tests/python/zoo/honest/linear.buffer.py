import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.layer = torch.nn.Linear(n, m)
        self.register_buffer("unused", torch.zeros(3, 5))

    def forward(self, x):
        o = torch.relu(self.layer(x))
        return o if self.training else o.clone()
