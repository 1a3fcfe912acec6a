import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("two", torch.tensor(2.0))

    def forward(self, a, b):
        return self.two * a + b
