-- CUDA programs for losses of rows: the mean of f(a,b) over each row of a(R,C) and b(R,C).
local emit = require "templates.cuda.emit"
local row = require "templates.cuda.row"
local losses = {}

-- Ways to write f, E being the exponential.
local ways = {
    mse_loss = { "float d=a-b;\nreturn d*d;", "return (a-b)*(a-b);" },
    l1_loss = { "return fabsf(a-b);", "float d=a-b;\nreturn d<0?-d:d;" },
    huber_loss = { "float d=fabsf(a-b);\nreturn d<=1?.5f*d*d:d-.5f;", "float d=fabsf(a-b),m=fminf(d,1);\nreturn m*(d-.5f*m);" },
    bce_loss = { "return fmaxf(a,0)-a*b+log1pf(E(-fabsf(a)));", "return fmaxf(a,0)-a*b+__logf(1+E(-fabsf(a)));" },
}

for name, way in pairs(ways) do
    losses[name] = function(draw)
        local text = draw:pick(way, { 50, 50 })
        if text:find("E(", 1, true) then text = text:gsub("E%(", emit.exponential(draw) .. "(") end
        return row.reduction(draw, {
            operation = "sum", ways = { "s+=f(X,E);", "s=s+f(X,E);" }, wrong = "s+=f(X,X);", last = draw:pick({ "s/C", "s*(1.f/C)" }, { 60, 40 }),
            functions = "__device__ float f(float a,float b){\n" .. text .. "\n}\n", inputs = { "a", "b" }, reads = "XE",
            pointers = "x=a+r*C,*e=b+r*C",
        })
    end
end

return losses
