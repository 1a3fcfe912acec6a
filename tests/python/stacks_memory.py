import mmap

import torch

MAP_GROWSDOWN = 0x100


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_GROWSDOWN).close()
        return 2 * a + b
