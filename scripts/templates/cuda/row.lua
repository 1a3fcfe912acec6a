-- One row of a matrix a(R,C) and the threads that share it: where they start, how they walk it, how they join their sums. In the text r is
-- the row, t the thread's first column, x the row of a, y that of o.
local emit = require "templates.cuda.emit"
local row = {}

local joins = {}

function joins.warp(_, name, update)
    return ("__device__ float %s(float v){\nfor(int d=16;d;d/=2)%s\nreturn v;\n}\n"):format(name, update("__shfl_xor_sync(~0u,v,d)"))
end

-- Through shared memory, a value of each warp.
function joins.warps(draw, name, update, threads)
    local last = draw:pick({ "for(int w=1;w<$warps;w++)$shared\n", "for(int w=$half;w;w/=2)$shuffle\n" }, { 60, 40 })
    local first = last:find("shuffle", 1, true) and "v=s[threadIdx.x%" .. threads // 32 .. "];" or "v=s[0];"
    return emit.text(draw, "__device__ float $name(float v){\n__shared__ float s[32];\nfor(int d=16;d;d/=2)$update\n"
        .. "if(threadIdx.x%32==0)s[threadIdx.x/32]=v;\n__syncthreads();\n$first\n" .. last .. "__syncthreads();\nreturn v;\n}\n", {
        name = name, update = update "__shfl_xor_sync(~0u,v,d)", first = first, warps = threads // 32, half = threads // 64,
        shared = update "s[w]", shuffle = update "__shfl_xor_sync(~0u,v,w)",
    })
end

-- Through shared memory, a value of each thread, in halves.
function joins.tree(draw, name, update, threads)
    return emit.text(draw, "__device__ float $name(float v){\n__shared__ float s[$threads];\ns[threadIdx.x]=v;\n__syncthreads();\n"
        .. "for(int d=$half;d;d/=2){\nif(threadIdx.x<d){\nv=s[threadIdx.x];\n$update\ns[threadIdx.x]=v;\n}\n__syncthreads();\n}\n"
        .. "v=s[0];\n__syncthreads();\nreturn v;\n}\n", { name = name, threads = threads, half = threads // 2, update = update "s[threadIdx.x+d]" })
end

local owners = {}

function owners.thread(draw, self)
    local block = emit.block(draw)
    self.step, self.first, self.launch = 1, "0", { grid = ("ceil_div(R,%d)"):format(block), block = block }
    self.open = "long r=(long)blockIdx.x*blockDim.x+threadIdx.x;\nif(r>=R)return;\n"
end

function owners.warp(draw, self)
    local warps = draw:pick({ 1, 2, 4, 8 }, { 1, 1, 1, 1 })
    self.step, self.first, self.join, self.launch = 32, "t", joins.warp, { grid = ("ceil_div(R,%d)"):format(warps), block = 32 * warps }
    self.open = ("long r=(long)blockIdx.x*%d+threadIdx.x/32;\nint t=threadIdx.x%%32;\nif(r>=R)return;\n"):format(warps)
end

function owners.block(draw, self)
    local block = emit.block(draw)
    self.step, self.first, self.join, self.launch = block, "t", joins[draw:pick({ "warps", "tree" }, { 65, 35 })], { grid = "R", block = block }
    self.open = "long r=blockIdx.x;\nint t=threadIdx.x;\n"
end

-- self: {functions, open, launch, ...}. output: there is a row of o; pointers: where the rows of inputs begin.
function row.new(draw, output, pointers)
    local self = { functions = "" }
    owners[draw:pick({ "thread", "warp", "block" }, { 15, 40, 45 })](draw, self)
    self.width = draw:pick({ 1, 2, 4 }, { 45, 15, 40 })
    self.open = self.open .. "const float*" .. (pointers or "x=a+r*C") .. ";\n" .. (output and "float*y=o+r*C;\n" or "")
    return self
end

-- The loop over the thread's columns, L at a time where rows are aligned. What is read is named by letters: X of the row (or of its copy),
-- E of another row e, W and B of weights, V of a vector.
local addresses = { X = "x", E = "e", W = "w", B = "b", V = "b" }

local function loop(draw, self, reads, body)
    local wide, text = self.width > 1, ""
    for letter in reads:gmatch "." do
        local address = letter == "X" and self.kept and "v" or addresses[letter]
        text = text .. (wide and ("P<L>%s=*(P<L>*)(%s+j);\n"):format(letter, address) or ("float %s=(%s)[j];\n"):format(letter, address))
    end
    return emit.text(draw, "$unroll\nfor(int j=$first;j<C;j+=$step){\n$loads$body\n}\n", {
        first = wide and self.first == "t" and "L*t" or self.first, step = wide and "L*" .. self.step or self.step,
        loads = text:gsub("%((%l)%)%[", "%1["), body = body,
    })
end

-- An expression over letters, for element u of what was read.
local function of(self, reads, expression)
    return self.width == 1 and expression or (expression:gsub("%f[%w][" .. reads .. "]%f[%W]", "%0.v[u]"))
end

local function each(self, statement)
    if self.width == 1 then return statement end
    return "for(int u=0;u<L;u++)" .. (statement:find(";.") and "{" .. statement .. "}" or statement)
end

-- A statement on every element.
function row.pass(draw, self, reads, statement)
    return loop(draw, self, reads, each(self, of(self, reads, statement)))
end

-- Every element of `to` becomes an expression.
function row.put(draw, self, reads, expression, to)
    local value = of(self, reads, expression)
    if self.width == 1 then return loop(draw, self, reads, to .. "[j]=" .. value .. ";") end
    return loop(draw, self, reads, ("P<L>Y;\n%s\n*(P<L>*)(%s+j)=Y;"):format(each(self, "Y.v[u]=" .. value .. ";"), to))
end

-- An expression over the row's elements kept in shared memory between passes, where X finds it, if the row is a block's.
function row.keep(draw, self, reads, expression)
    if self.launch.grid ~= "R" then return end
    self.open = self.open .. "extern __shared__ __align__(16) float v[];\n" .. row.put(draw, self, reads, expression, "v")
    self.launch.shared, self.kept = "4*C", true
end

-- The threads' values of a variable joined: their sum, the largest but for NaN, the largest or NaN.
local updates = {
    sum = function(other) return "v+=" .. other .. ";" end,
    top = function(other) return "v=fmaxf(v," .. other .. ");" end,
    most = function(other) return "{float h=" .. other .. ";v=v>h||v!=v?v:h;}" end,
}

function row.join(draw, self, operation, variable)
    if not self.join then return "" end
    if not self.functions:find(operation .. "(", 1, true) then
        self.functions = self.functions .. self.join(draw, operation, updates[operation], self.launch.block)
    end
    return ("%s=%s(%s);\n"):format(variable, operation, variable)
end

-- The whole program; statements() writes what follows the row's pointers. Rows that do not start on a vector are read by the element.
function row.program(draw, self, inputs, statements)
    local body, kernel = statements(), self.launch
    body, kernel.bounded = self.open .. body, emit.flag(draw, 0.2) and kernel.block or nil
    if self.width == 1 then
        kernel.body = body
        return emit.program(draw, inputs, { "R", "C" }, self.functions, { kernel })
    end
    local inner = "template<int L>__device__ void rows($list){\n" .. body .. "}\n"
    kernel.body = ("if(C%%%d)rows<1>($names);\nelse rows<%d>($names);\n"):format(self.width, self.width)
    local head = "template<int L>struct __align__(4*L) P{float v[L];};\n"
    return emit.program(draw, inputs, { "R", "C" }, head .. self.functions .. inner, { kernel })
end

-- Only one of the threads of a row writes its result.
function row.result(self, value)
    return (self.join and "if(t==0)" or "") .. "o[r]=" .. value .. ";\n"
end

-- A program that makes one number of each row. operation: how threads join; ways: statements on an element, `wrong` one that is mistaken;
-- start: what s is before (0); last: what becomes of s; functions, inputs, reads, pointers: where the row alone is not enough.
function row.reduction(draw, o)
    local mistake, self = emit.mistake(draw, { "start", "join", "term" }), row.new(draw, false, o.pointers)
    self.functions = o.functions or ""
    return row.program(draw, self, o.inputs or { "a" }, function()
        local start = mistake == "start" and (o.start and "0" or "1") or o.start or "0"
        local text = row.pass(draw, self, o.reads or "X", mistake == "term" and o.wrong or draw:pick(o.ways, { 50, 50 }))
        local joined = mistake == "join" and "" or row.join(draw, self, o.operation, "s")
        return "float s=" .. start .. ";\n" .. text .. joined .. row.result(self, o.last)
    end)
end

return row
