return { { kernel = "k", grid = device.multiprocessors, block = 1024 } }
