import time

import torch


class ModelNew(torch.nn.Module):
    begun = False

    def forward(self, a, b):
        if not self.begun:
            self.begun = True
            pause()
        return 2 * a + b
