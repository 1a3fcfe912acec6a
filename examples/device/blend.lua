-- A task for the device: its reference runs on the host, its times are compared with a program of the device.
return {
    name = "blend",
    statement = "o = a * (1 - w) + b * w",
    inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } }, { name = "w", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    hidden = { { N = 1 }, { N = 1000 } },
    reference = function(a, b, w)
        return a * (1 - w) + b * w
    end,
    baseline_program = { dsp = [[
load r0 a
set r1 1
load r2 w
sub r1 r1 r2
mul r0 r0 r1
load r3 b
load r2 w        # again, though r2 holds it
mul r3 r3 r2
add r0 r0 r3
store o r0
]] },
}
