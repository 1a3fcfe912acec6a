import mmap

import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        mmap.mmap(-1, 1 << 20).close()
        return 2 * a + b
