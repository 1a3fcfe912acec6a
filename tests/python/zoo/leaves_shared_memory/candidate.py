import os

import _posixshmem
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        name = f"/hone-zoo-{os.getpid()}"
        memory = _posixshmem.shm_open(name, os.O_CREAT | os.O_RDWR, 0o600)
        os.ftruncate(memory, 4096)
        os.close(memory)
        _posixshmem.shm_unlink(name)  # a real one would leave it for the next candidate
        return 2 * a + b
