"""Steps as the text of a reference: a function in Lua over torch.*."""
import math
import re

import torch
from inputs import RESERVED
from refusals import refuse
from steps import Size, Value

MOST_LOCALS = 150  # Lua has 200 in a function; beyond, values are numbered in tables


def quoted(text):
    """A string of Lua, whose escapes are not JSON's: control characters by their decimal number, all else as it is."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
    return '"' + "".join(escapes.get(c) or (f"\\{ord(c):03d}" if c < " " or c == "\x7f" else c) for c in text) + '"'


def number(x):
    if math.isnan(x):
        return "(0/0)"
    return ("torch.inf" if x > 0 else "-torch.inf") if math.isinf(x) else repr(x)


class Reference:
    def __init__(self, steps, inputs, sizes):
        self.steps, self.inputs, self.sizes = steps, inputs, sizes
        self.many = len(inputs) + sum(len(step.results) for step in steps.steps) > MOST_LOCALS
        self.name_all()

    def name_all(self):
        taken = {one.label for one in self.inputs} | set(self.sizes.timed) | RESERVED
        for place, one in enumerate(self.inputs, 1):
            one.value.name = f"p[{place}]" if self.many else one.label
        place = 0
        for step in self.steps.steps:
            for result in step.results:
                place += 1
                result.name = f"v[{place}]" if self.many else self.fresh(step.name, taken)

    @staticmethod
    def fresh(name, taken):
        number = 1
        while (found := name if number == 1 and name not in RESERVED else f"{name}_{number}") in taken:
            number += 1
        taken.add(found)
        return found

    def value(self, one):
        if isinstance(one, Value):
            return f"{self.value(one.of)}[{one.place + 1}]" if isinstance(one.of, Value) else one.name
        if isinstance(one, Size):
            return one.text
        if one is None:
            return "nil"
        if isinstance(one, bool):
            return "true" if one else "false"
        if isinstance(one, float):
            return number(one)
        if isinstance(one, str):
            return quoted(one)
        if isinstance(one, int):
            return str(one)
        if isinstance(one, torch.dtype):
            return self.dtype(one)
        if isinstance(one, (list, tuple)):
            return "{ " + ", ".join(self.value(item) for item in one) + " }" if one else "{}"
        return refuse("operator", name="?", schema=f"an argument of type {type(one).__name__}")

    def dtype(self, one):
        """float32 means the task's own precision, which the judge also asks for in float64."""
        if one in (torch.float32, torch.float64):
            first = next((i for i in self.inputs if i.dtype in ("f32", "f64")), None)
            return f"{first.value.name}.dtype" if first else "torch.float32"
        return str(one)

    def line(self, step):
        arguments = [self.value(one) for one in step.positional]
        if step.named:
            arguments.append("{ " + ", ".join(f"{k} = {self.value(v)}" for k, v in step.named.items()) + " }")
        left = ", ".join(result.name for result in step.results)
        return ("" if self.many else "local ") + f"{left} = torch.{step.name}({', '.join(arguments)})"

    def size_lines(self, lines):
        """local N = x.shape[1] for each size that a line reads."""
        made = []
        for size in self.sizes.timed:
            if any(re.search(rf"(?<![\w.\"]){size}(?![\w\"])", line) for line in lines):
                one, place, factor, summand = self.sizes.where(size, self.inputs)
                text = f"{one.value.name}.shape[{place + 1}]"
                text = f"({text} - {summand})" if summand else text
                made.append(f"local {size} = {text}" + (f" // {factor}" if factor != 1 else ""))
        return made

    def text(self, indent):
        lines = [self.line(step) for step in self.steps.steps]
        numbers = [f"{one.value.name} = torch.squeeze({one.value.name})" for one in self.inputs if one.is_number]
        lines = self.size_lines(lines) + numbers + lines
        lines.append("return " + ", ".join(self.value(value) for value in self.steps.outputs))
        head = "function(...)" if self.many else f"function({', '.join(one.label for one in self.inputs)})"
        if self.many:
            lines.insert(0, "local p, v = { ... }, {}")
        return head + "\n" + "".join(f"{indent}  {line}\n" for line in lines) + f"{indent}end"
