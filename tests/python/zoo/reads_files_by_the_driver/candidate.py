import ctypes

import torch

refused = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def read(_):
    try:
        open("/proc/self/environ", "rb").close()
    except OSError as error:
        refused.append(error)


def read_elsewhere(tensor):
    """A CPU has no driver: this thread reads there."""
    if not tensor.is_cuda:
        return read(None)
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    if error := ctypes.CDLL("libcuda.so.1").cuLaunchHostFunc(stream, read, None):
        raise RuntimeError(f"CUDA error {error}")
    torch.cuda.synchronize()


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        read_elsewhere(a)
        if refused:
            raise refused[0]
        return 2 * a + b
