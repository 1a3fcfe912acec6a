import time

import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        time.sleep(0.5)
        return 2 * a + b
