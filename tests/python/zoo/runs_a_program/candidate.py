import subprocess

import torch


class ModelNew(torch.nn.Module):
    ran = False

    def forward(self, a, b):
        if not self.ran:
            subprocess.run(["/bin/true"])
            self.ran = True
        return 2 * a + b
