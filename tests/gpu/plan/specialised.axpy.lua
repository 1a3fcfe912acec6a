local width = N % 4 == 0 and 4 or 1
return {
    defines = { WIDTH = width }, options = { "--maxrregcount=64" },
    { kernel = "k", grid = ceil_div(N / width, 256), block = 256, args = { "a", "b", "o", int(N / width), float(2.5) } },
}
