-- CUDA programs for work on the elements of a matrix o(R,C) whose rows share something: a bias, the other half of a gate, a factor. Either
-- a row belongs to some threads, or elements are counted through and row and column are found from the number.
local emit = require "templates.cuda.emit"
local row = require "templates.cuda.row"
local matrices = {}

-- f takes `takes`, E being the exponential; call: its arguments in the letters of templates/cuda/row.lua; flat: the same where i is the
-- element, r its row and c its column; pointers: where the rows begin.
local cases = {
    bias_gelu = {
        inputs = { "a", "b" }, takes = { "t", "b" }, call = "X,B", reads = "XB", flat = "a[i],b[c]", wrong = "return t*b;",
        ways = {
            "t+=b;\nreturn .5f*t*(1+tanhf(.79788456f*(t+.044715f*t*t*t)));", "t+=b;\nreturn t/(1+E(-1.5957691f*(t+.044715f*t*t*t)));",
            "t+=b;\nreturn __fdividef(t,1+E(-1.5957691f*t*(1+.044715f*t*t)));",
        },
    },
    swiglu = {
        inputs = { "a" }, takes = { "t", "g" }, call = "X,E", reads = "XE", flat = "a[r*2*C+c],a[r*2*C+C+c]", wrong = "return g/(1+E(-g))*t;",
        pointers = "x=a+r*2*C,*e=x+C", ways = { "return t/(1+E(-t))*g;", "return __fdividef(t*g,1+E(-t));", "return t*g*(1/(1+E(-t)));" },
    },
    scale_shift_residual = {
        inputs = { "a", "d", "w", "b" }, takes = { "t", "d", "w", "b" }, call = "X,E,W,B", reads = "XEWB", flat = "a[i],d[i],w[c],b[c]",
        wrong = "return d+t*w+b;", pointers = "x=a+r*C,*e=d+r*C",
        ways = { "return d+fmaxf(t*w+b,0);", "t=fmaf(t,w,b);\nreturn d+fmaxf(t,0);", "t=t*w+b;\nif(t<0)t=0;\nreturn d+t;" },
    },
    diag_matmul = {
        inputs = { "d", "a" }, takes = { "t", "d" }, call = "X,d[r]", reads = "X", flat = "a[i],d[r]", wrong = "return t+d;",
        ways = { "return t*d;", "return d*t;", "t*=d;\nreturn t;" }, sizes = { R = "M", C = "N" },
    },
}

-- One thread an element: the row by division.
local function flat(draw, case)
    local kind = draw:pick({ "int", "long" }, { 50, 50 })
    return { body = emit.text(draw, "$kind i=blockIdx.x*blockDim.x+threadIdx.x;\nif(i>=R*C)return;\n$kind r=i/C,c=i%C;\no[i]=f($call);\n", {
        kind = kind, call = case.flat,
    }) }
end

-- Names of sizes as the task has them; the "C" of a linkage stays.
local function named(text, sizes)
    for old, new in pairs(sizes or {}) do text = text:gsub("([^%w_\"])" .. old .. "%f[%W]", "%1" .. new) end
    return text
end

for name, case in pairs(cases) do
    matrices[name] = function(draw)
        local mistake, self = emit.mistake(draw, { "value", "bound" }), row.new(draw, true, case.pointers)
        local way = mistake == "value" and case.wrong or draw:pick(case.ways, { 40, 30, 30 })
        if way:find("E(", 1, true) then way = way:gsub("E%(", emit.exponential(draw) .. "(") end
        self.functions = "__device__ float f(float " .. table.concat(case.takes, ",float ") .. "){\n" .. way .. "\n}\n"
        if mistake == "bound" then self.open = self.open:gsub("r>=R", "r>=R-1"):gsub("long r=blockIdx.x;\n", "%0if(r==R-1)return;\n") end
        if mistake ~= "bound" and emit.flag(draw, 0.3) then
            local kernel = flat(draw, case)
            if emit.flag(draw, 0.5) then kernel.block = emit.block(draw) end
            kernel.grid = kernel.block and ("ceil_div(R*C,%d)"):format(kernel.block)
            return named(emit.program(draw, case.inputs, { "R", "C" }, self.functions, { kernel }), case.sizes)
        end
        local function statements() return row.put(draw, self, case.reads, "f(" .. case.call .. ")", "y") end
        return named(row.program(draw, self, case.inputs, statements), case.sizes)
    end
end

return matrices
