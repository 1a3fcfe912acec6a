import os

import torch


class ModelNew(torch.nn.Module):
    pid = 0

    def forward(self, a, b):
        if not self.pid:
            self.pid = os.fork()
            if self.pid == 0:
                os._exit(0)
        return 2 * a + b
