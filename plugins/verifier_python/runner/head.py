import ctypes
import math
import mmap
import os
import re
import resource
import select
import signal
import socket
import sys
import traceback
import warnings

warnings.simplefilter("ignore")
os.sched_setaffinity(0, range(os.cpu_count()))  # the bench keeps to a core of its own; OpenMP reads this once, when torch is imported
import torch

MOST_OWN_BYTES = 8 << 30  # of address space: torch's threads reserve much of it
