import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        os.close(os.memfd_create("hidden"))
        return 2 * a + b
