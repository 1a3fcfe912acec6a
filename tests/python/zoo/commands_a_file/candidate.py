import fcntl

import torch

FIOCLEX = 0x5451


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        with open(torch.__file__, "rb") as file:
            fcntl.ioctl(file, FIOCLEX)
        return 2 * a + b
