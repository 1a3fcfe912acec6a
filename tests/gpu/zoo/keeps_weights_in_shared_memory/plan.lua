local shared = 4 * ceil_div(N, device.multiprocessors) * K
return {
    prepack = { { kernel = "keep", grid = device.multiprocessors, block = 1024, shared = shared, args = { "b", N, K } } },
    { kernel = "k", grid = device.multiprocessors, block = 1024, shared = shared, args = { "a", "b", "o", N, K } },
}
