-- Was the device's queue empty while the copy runs, the bench's probe would have its turn there, before the work begins.
return {
  workspaces = { waste = 4 * N },
  { copy = "waste", from = "a", bytes = 4 * N },
  { kernel = "k", grid = ceil_div(N, 256), block = 256 },
}
