-- Small wrong changes of a C++ kernel's text, as a hurried programmer or an over-eager model makes them. Pure text in, text out: whether a
-- change means anything is decided elsewhere (mutant_peer.cpp).
local mutations = {}

local operators = { "<<=", ">>=", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "++", "--", "&&", "||", "<<", ">>", "->", "::",
    "<", ">", "+", "-", "*", "/", "%", "=", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", "!", "&", "|", "^", "~", "." }
local types = { float = true, double = true, long = true, int = true, unsigned = true, bool = true, auto = true, const = true,
    static = true, V = true, __m256 = true, __m512 = true, __m128 = true, void = true, struct = true, using = true, typedef = true,
    template = true, constexpr = true, alignas = true }

-- The same length, with comments, texts and preprocessor lines blanked.
local function masked(code)
    local function blank(text) return (text:gsub("[^\n]", " ")) end
    code = code:gsub("/%*.-%*/", blank):gsub("//[^\n]*", blank):gsub('"[^"\n]*"', blank)
    return (("\n" .. code):gsub("\n[ \t]*#[^\n]*", blank):sub(2))
end

local function tokens_of(code)
    local text, list, at = masked(code), {}, 1
    while at <= #text do
        local from, to = text:find("^[%a_][%w_]*", at)
        local kind = "name"
        if not from then
            from, to = text:find("^%.?%d[%w%.]*", at)
            kind = "number"
            if from and text:sub(from, to):find("[eE]$") and text:find("^[+-]", to + 1) then
                to = select(2, text:find("^[+-]%d+[fF]?", to + 1)) or to
            end
        end
        if not from then
            for _, op in ipairs(operators) do
                if text:sub(at, at + #op - 1) == op then
                    from, to, kind = at, at + #op - 1, "op"
                    break
                end
            end
        end
        if from then list[#list + 1] = { kind = kind, text = text:sub(from, to), from = from, to = to } end
        at = (to or at) + 1
    end
    return list
end

local swapped = {
    ["<"] = { "<=", ">" }, ["<="] = { "<" }, [">"] = { ">=", "<" }, [">="] = { ">" }, ["=="] = { "!=" }, ["!="] = { "==" },
    ["+"] = { "-" }, ["-"] = { "+" }, ["*"] = { "/", "+" }, ["/"] = { "*" }, ["%"] = { "/" },
    ["+="] = { "-=", "=" }, ["-="] = { "+=" }, ["*="] = { "/=", "=" }, ["/="] = { "*=" }, ["++"] = { " += 2" },
    ["&&"] = { "||" }, ["||"] = { "&&" }, ["<<"] = { ">>" }, [">>"] = { "<<" },
}

local function operator_sites(list, add)
    for _, t in ipairs(list) do
        for _, other in ipairs(t.kind == "op" and swapped[t.text] or {}) do add("operator", t.from, t.to, other) end
    end
end

local function number_sites(list, add)
    for _, t in ipairs(list) do
        local whole = t.kind == "number" and t.text:match("^%d+$")
        if whole then
            add("constant", t.from, t.to, tostring(math.tointeger(whole) + 1))
            if math.tointeger(whole) > 0 then add("constant", t.from, t.to, tostring(math.tointeger(whole) - 1)) end
        elseif t.kind == "number" and not t.text:find("[xXuUlL]") then
            local value, suffix = t.text:match("^(.-)([fF]?)$")
            value = tonumber(value)
            for _, factor in ipairs(value and value ~= 0 and { 1.01, 2, 0.5, -1 } or {}) do
                local text = ("%.9g"):format(value * factor)
                add("constant", t.from, t.to, (text:find("[%.e]") and text or text .. ".0") .. suffix)
            end
        end
    end
end

-- Names that were declared with one type may be taken for each other.
local function name_sites(list, add)
    local of, members = {}, {}
    for i, t in ipairs(list) do
        local before, two = list[i - 1], list[i - 2]
        local class
        if t.kind == "name" and before and not types[t.text] then
            if types[before.text] and before.text ~= "const" and before.text ~= "auto" then class = before.text
            elseif before.text == "*" and two and types[two.text] then class = two.text .. "*"
            elseif before.text == "," and two and of[two.text] and list[i + 1] and (list[i + 1].text == "=" or list[i + 1].text == ";") then
                class = of[two.text]
            end
        end
        if class and not of[t.text] and list[i + 1] and list[i + 1].text ~= "(" then
            t.declares, of[t.text] = true, class
            members[class] = members[class] or {}
            table.insert(members[class], t.text)
        end
    end
    for _, t in ipairs(list) do
        for _, other in ipairs(t.kind == "name" and not t.declares and of[t.text] and members[of[t.text]] or {}) do
            if other ~= t.text then add("name", t.from, t.to, other) end
        end
    end
end

local functions = { { "max", "min" }, { "min", "max" }, { "fmadd", "fmsub" }, { "fmadd", "fnmadd" }, { "_add_", "_sub_" },
    { "_mul_", "_add_" } }
local dropped = { "sqrt", "exp", "fabs", "abs", "tanh", "log" }

local function function_sites(list, add)
    for i, t in ipairs(list) do
        local called = t.kind == "name" and list[i + 1] and list[i + 1].text == "("
        for _, pair in ipairs(called and functions or {}) do
            local from, to = t.text:find(pair[1], 1, true)
            if from then add("function", t.from, t.to, t.text:sub(1, from - 1) .. pair[2] .. t.text:sub(to + 1)) end
        end
        for _, name in ipairs(called and dropped or {}) do
            if t.text:find(name, 1, true) and not t.text:find("^_mm") then
                local from = list[i - 1] and list[i - 1].text == "::" and list[i - 2].from or t.from
                add("function", from, t.to, "")
                break
            end
        end
    end
end

-- Simple statements: {first, last} tokens, without the heads of loops and conditions before them.
local function statements(list)
    local found, first, depth = {}, 1, 0
    for i, t in ipairs(list) do
        if t.text == "(" then depth = depth + 1 end
        if t.text == ")" then depth = depth - 1 end
        if depth == 0 and (t.text == "{" or t.text == "}") then first = i + 1 end
        if depth == 0 and t.text == ";" then
            while list[first].text == "for" or list[first].text == "if" or list[first].text == "while" or list[first].text == "else" do
                local level = 0
                if list[first].text ~= "else" then
                    repeat
                        first = first + 1
                        if list[first].text == "(" then level = level + 1 end
                        if list[first].text == ")" then level = level - 1 end
                    until level == 0
                end
                first = first + 1
            end
            if first < i then found[#found + 1] = { first = first, last = i - 1 } end
            first = i + 1
        end
    end
    return found
end

local function statement_sites(code, list, add)
    for _, s in ipairs(statements(list)) do
        local from, to = list[s.first].from, list[s.last].to
        if not types[list[s.first].text] and list[s.first].text ~= "return" then add("statement", from, to, "") end
        for i = s.first, s.last do
            if list[i].text == "=" and not types[list[s.first].text] then
                add("half", list[i].to + 1, to, " (float)(_Float16)(" .. code:sub(list[i].to + 1, to) .. ")")
                break
            end
        end
    end
end

local function loop_sites(list, add)
    for i, t in ipairs(list) do
        local bound, stop = list[i + 1], list[i + 2]
        if (t.text == "<" or t.text == "<=") and bound and bound.kind == "name" and stop and stop.text == ";" then
            add("bound", bound.from, bound.to, bound.text .. " - 1")
            add("bound", bound.from, bound.to, bound.text .. " / 2")
        end
        if t.text == "float" and bound and bound.kind == "name" and stop and (stop.text == "=" or stop.text == ";" or stop.text == ",") then
            add("half", t.from, t.to, "_Float16")
        end
    end
end

-- All changes of a program: list of {kind, code, before, after}; before and after are the lines that differ.
function mutations.of(code)
    local found, list = {}, tokens_of(code)
    local function add(kind, from, to, text)
        local head, tail = code:sub(1, from - 1), code:sub(to + 1)
        local left, right = head:match("[^\n]*$"), tail:match("^[^\n]*")
        found[#found + 1] = { kind = kind, code = head .. text .. tail,
            before = left .. code:sub(from, to) .. right, after = left .. text .. right }
    end
    operator_sites(list, add)
    number_sites(list, add)
    name_sites(list, add)
    function_sites(list, add)
    statement_sites(code, list, add)
    loop_sites(list, add)
    return found
end

return mutations
