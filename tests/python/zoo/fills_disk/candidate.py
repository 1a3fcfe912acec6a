import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        with open("/tmp/hone-zoo", "wb") as file:
            file.write(b"0")
        os.unlink("/tmp/hone-zoo")
        return 2 * a + b
