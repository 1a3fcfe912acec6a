import ctypes

import torch

libgomp = ctypes.CDLL("libgomp.so.1")
refused = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def read(_):
    if libgomp.omp_get_thread_num() == 1:
        try:
            open("/proc/self/environ", "rb").close()
        except OSError as error:
            refused.append(error)


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        libgomp.GOMP_parallel(read, None, 2, 0)
        if refused:
            raise refused[0]
        return 2 * a + b
