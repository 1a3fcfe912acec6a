#!/usr/bin/env python3
"""The lock of a Python program's process holds for threads that began before it, and beside a driver only the driver's commands pass.

usage: lock.py HONE_PYTHON_LIBRARY"""
import ctypes
import errno
import os
import sys
import threading

FS_IOC_SETFLAGS, FIOCLEX, OF_A_DRIVER = 0x40086602, 0x5451, ord("F") << 8 | 200
SYS_IOCTL, SYS_LANDLOCK_CREATE_RULESET = 16, 444
BEYOND_32_BITS = 1 << 32


def opened(path):
    try:
        os.close(os.open(path, os.O_RDONLY))
        return 0
    except OSError as error:
        return error.errno


def commanded(file, command):
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(SYS_IOCTL, file, ctypes.c_ulong(command), ctypes.create_string_buffer(64)) and ctypes.get_errno()


def locked(library, driver):
    """What a thread that was there before may open, and the answers to commands, in this order."""
    locked_now, seen = threading.Event(), []
    thread = threading.Thread(target=lambda: (locked_now.wait(), seen.append(opened("/etc/passwd"))))
    thread.start()
    file = os.open("/usr/bin/env", os.O_RDONLY)
    assert library.hone_python_lock((ctypes.c_char_p * 2)(b"/usr", None), driver) == 0
    locked_now.set()
    thread.join()
    return seen + [commanded(file, command) for command in (FS_IOC_SETFLAGS, FS_IOC_SETFLAGS | BEYOND_32_BITS, FIOCLEX, OF_A_DRIVER)]


def check(path, driver, wanted):
    if (child := os.fork()) == 0:
        os._exit(locked(ctypes.CDLL(path), driver) != wanted)
    assert os.waitpid(child, 0)[1] == 0, (driver, wanted)


if __name__ == "__main__":
    if ctypes.CDLL(None).syscall(SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1) < 1:
        print("this kernel has no Landlock; skipped")
        sys.exit(77)
    assert opened("/etc/passwd") == 0
    check(sys.argv[1], False, [errno.EACCES] + 4 * [errno.ENOTTY])
    check(sys.argv[1], True, [errno.EACCES, errno.ENOSYS, errno.ENOSYS, errno.ENOTTY, errno.ENOTTY])  # the last by the file itself
