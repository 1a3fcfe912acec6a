# zygote.cpp writes DEVICE in front of this text, LIBRARY (the functions of lock.cpp and device.cpp) and serve() behind it.
import sys

sys.path[:] = [folder for folder in sys.path if folder]  # not the folder where hone was started
import ctypes
import math
import mmap
import os
import re
import resource
import select
import signal
import socket
import time
import traceback
import warnings


def spread():
    """This process has the bench's core alone. On a host the bench sleeps while a program runs; beside a device it needs its core."""
    own, all_cores = os.sched_getaffinity(0), set(range(os.cpu_count()))
    if DEVICE == "cpu":
        os.sched_setaffinity(0, all_cores)
        return
    os.sched_setaffinity(0, all_cores - own or own)
    for name in ("OMP_PLACES", "OMP_PROC_BIND"):  # of the bench's team, whose core is among them
        os.environ.pop(name, None)


spread()  # OpenMP looks once, when torch is imported
os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"  # a context in half the time
os.environ["USER"] = "hone"  # torch names a folder by it, and a program may not read who this user is
warnings.simplefilter("ignore")
try:
    import torch  # noqa: E402
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}")
