"""A task file of one imported module."""
import json
import re

from inputs import DTYPES
from lua_text import Reference, quoted

FLAWED = "flawed"  # the role of tasks that stay out of headline numbers (docs/tasks.md)


def table(sizes):
    return "{ " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in sizes.items()) + " }" if sizes else "{}"


def bracketed(text):
    """A text as Lua takes it unchanged."""
    level = "="
    while "]" + level + "]" in text:
        level += "="
    return f"[{level}[\n{text}]{level}]"


class TaskText:
    def __init__(self, name, origin, source, numbers, sizes, shapes, inputs, steps, outputs, terms, ties, notes):
        self.name, self.origin, self.source, self.numbers, self.sizes, self.shapes = name, origin, source, numbers, sizes, shapes
        self.inputs, self.outputs, self.terms, self.ties, self.notes = inputs, outputs, terms, ties, notes
        self.reference = Reference(steps, inputs, sizes)

    def input_line(self, one):
        return self.tensor_line(one.label, one.dtype, one.shape) + f", law = \"{one.law}\"" + \
            (", constant = true" if one.target else "") + (", strict = true" if one.strict else "") + " },"

    def tensor_line(self, name, dtype, shape):
        extents = ", ".join(json.dumps(self.sizes.extent(d)) for d in shape)
        return f"    {{ name = \"{name}\"" + (f", dtype = \"{dtype}\"" if dtype != "f32" else "") + \
            ", shape = " + (f"{{ {extents} }}" if extents else "{}")

    def output_lines(self):
        taken = {one.label for one in self.inputs}
        for place, node in enumerate(self.outputs, 1):
            name = "o" if len(self.outputs) == 1 else f"o{place}"
            while name in taken:
                name += "_"
            value = node.meta["val"]
            yield self.tensor_line(name, DTYPES[value.dtype], value.shape) + " },"

    def statement(self):
        weights = " Its weights are inputs." if any(one.target for one in self.inputs) else ""
        said = ["The module Model of this file, in the mode that it is made in." + weights] + \
            [note[0].upper() + note[1:] + "." for note in self.notes]
        return quoted(" ".join(said) + "\n\n") + " .. module"

    def module(self):
        """For programs in Python: the source, and what get_inputs returns beside tensors (runner/module.py)."""
        return "module .. " + quoted(f"\nhone_numbers = {self.numbers!r}\n") if self.numbers else "module"

    def shape_entries(self, flaw):
        small = self.shapes.small
        entries = [table(self.shapes.timed)]
        if small != self.shapes.timed:
            entries.append(table({**small, "role": FLAWED if flaw else "auxiliary"}))
        return "{ " + ", ".join(entries) + " }"

    def text(self, flaw=""):
        """flaw: why the task stays out of headline numbers; empty: it does not."""
        spec = self.name + (" " + "x".join("{" + s + "}" for s in self.shapes.timed) if self.shapes.timed else "")
        ranges = self.shapes.ranges()
        source = bracketed(self.source.replace("\r\n", "\n"))
        lines = [f"-- Made of {self.origin} by `hone import`.", f"local module = {source}", "return {", f"  name = \"{self.name}\","]
        if flaw:
            lines += ["  -- " + re.sub(r"\s+", " ", flaw), f"  role = \"{FLAWED}\","]
        lines += [f"  statement = {self.statement()},", f"  device = {{ module = {self.module()} }},", f"  spec = \"{spec}\",", "  inputs = {"]
        lines += [self.input_line(one) for one in self.inputs] + ["  },", "  outputs = {", *self.output_lines(), "  },"]
        lines += [f"  shapes = {self.shape_entries(flaw)},"]
        lines += [f"  hidden = {{ {', '.join(table(shape) for shape in self.shapes.hidden)} }},"] if self.shapes.hidden else []
        lines += ["  ranges = { " + ", ".join(f"{s} = {{ {a}, {b} }}" for s, (a, b) in ranges.items()) + " },"] if ranges else []
        lines += ["  terms = { " + ", ".join(json.dumps(t) for t in self.terms) + " },"] if self.terms else []
        if self.ties:
            lines += ["  integers = false,", "  special = { without = { \"zero\", \"denormal\", \"nan\" }, because = \"the order of equal numbers is open\" },"]
        return "\n".join([*lines, f"  reference = {self.reference.text('  ')},", "}"]) + "\n"
