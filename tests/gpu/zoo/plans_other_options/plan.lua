return {
    options = { "--relocatable-device-code=true" },
    { kernel = "k", grid = ceil_div(N, 256), block = 256 },
}
