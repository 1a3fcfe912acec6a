return {
    workspaces = { partial = 8 * R },
    { kernel = "k", grid = 4 * device.multiprocessors, block = 256, cooperative = true, args = { "a", "partial", "o", R, C } },
}
