import os

import torch

if os.fork() == 0:
    os._exit(0)


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return 2 * a + b
