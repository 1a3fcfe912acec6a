"""The symbols of an export as sizes of a task: their names, and expressions of them as shapes and as Lua."""
import math

import sympy
import torch
from refusals import refuse

LETTERS = "B N M K H W D L C P Q R S T U V".split()


def expression(dimension):
    """A dimension or an integer argument as sympy has it."""
    return dimension.node.expr if isinstance(dimension, torch.SymInt) else sympy.Integer(int(dimension))


def linear(expr):
    """(symbol, factor, summand) of factor * symbol + summand, with symbol None of a number; None if it is of no such form."""
    if not expr.free_symbols:
        return (None, 0, int(expr))
    if len(expr.free_symbols) != 1:
        return None
    (symbol,) = expr.free_symbols
    polynomial = sympy.Poly(expr, symbol) if expr.is_polynomial(symbol) else None
    if polynomial is None or polynomial.degree() != 1:
        return None
    factor, summand = polynomial.all_coeffs()
    if not (factor.is_Integer and summand.is_Integer and factor > 0):
        return None
    return (symbol, int(factor), int(summand))


def interval(condition):
    """Whether it leaves one symbol a range of numbers, or nothing to decide: B > 4, but not B % 2 == 0. None where not, as linear()."""
    if not condition.free_symbols:
        return True
    is_range = isinstance(condition, (sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le))
    return linear(condition.lhs - condition.rhs) or linear(condition.rhs - condition.lhs) if is_range else None


def lua(expr, names):
    """An integer expression in Lua; None where there is none."""
    if expr.is_Integer:
        return str(int(expr))
    if expr.is_Symbol:
        return names.get(expr)
    parts = [lua(part, names) for part in expr.args]
    kind = type(expr).__name__
    if None in parts:
        return None
    if kind in ("Add", "Mul"):
        return "(" + (" + " if kind == "Add" else " * ").join(parts) + ")"
    if kind in ("FloorDiv", "CleanDiv"):
        return f"({parts[0]} // {parts[1]})"
    if kind in ("Mod", "PythonMod"):
        return f"({parts[0]} % {parts[1]})"
    if kind in ("Max", "Min"):
        return f"math.{kind.lower()}({', '.join(parts)})"
    if kind == "Pow" and expr.args[1].is_Integer and expr.args[1] > 0:
        return "(" + " * ".join([parts[0]] * int(expr.args[1])) + ")"
    return None


def real(expr):
    """Whether it is a number alone: a task has sizes in whole numbers, so none stays in real arithmetic. None where not, as linear()."""
    return None if expr.free_symbols else True


def reals_of(graph):
    """Every real number that the graph computes from its inputs' shapes: x.shape[0] * 0.5."""
    return [node.meta["val"].node.expr for node in graph.nodes if isinstance(node.meta.get("val"), torch.SymFloat)]


def integers_of(graph):
    """Every integer that the graph computes from its inputs' shapes."""
    return [node.meta["val"].node.expr for node in graph.nodes if isinstance(node.meta.get("val"), torch.SymInt)]


def tied(graph):
    """Pairs of dimensions that an operator takes for equal, and does not compare where it runs without memory."""
    for node in graph.nodes:
        if "scaled_dot_product_attention" in str(node.target):
            key, value = (one.meta["val"].shape for one in node.args[1:3])
            yield expression(key[-2]), expression(value[-2])


class Sizes:
    """Symbols that stay sizes; every other one becomes the number that it has in get_inputs. decisions: [(condition, place)] of the
    module by its inputs' shapes; the export holds the operators of one outcome."""

    def __init__(self, exported, taken, decisions=()):
        self.values = {}  # symbol: number
        tensors = [(node.meta["val"], given.shape) for node, given, _ in exported.data]
        for value, shape in tensors:
            for dimension, have in zip(value.shape, shape):
                expr = expression(dimension)
                form = linear(expr)
                if form and form[0] is not None:
                    self.values.setdefault(form[0], (int(have) - form[2]) // form[1])
        self.fixed, self.decisions = {}, [one for one in decisions if one[0].free_symbols <= self.values.keys()]
        for one, other in tied(exported.graph):
            if one.is_Symbol and other.is_Symbol and one != other:
                self.fixed[other] = one
        shapes = [d for value, _ in tensors for d in value.shape]
        shapes += [d for node in exported.outputs for d in node.meta["val"].shape]
        self.fix_what_has_no_form([expression(d) for d in shapes], integers_of(exported.graph), reals_of(exported.graph))
        free = [s for s in self.values if s not in self.fixed]
        letters = [letter for letter in LETTERS if letter not in taken]
        self.names = dict(zip(free, letters))
        self.fixed.update({s: self.values[s] for s in free[len(letters):]})
        self.timed = {name: self.values[symbol] for symbol, name in self.names.items()}

    def fix_what_has_no_form(self, shapes, arguments, reals):
        """A product of two sizes, or a quotient, is no shape of a task: the later symbol gives way. Of real numbers each does."""
        order = {symbol: place for place, symbol in enumerate(self.values)}
        names = {symbol: "n" for symbol in self.values}
        changed = True
        while changed:
            changed = False
            for expr, fits in [(e, linear) for e in shapes] + [(e, lambda e: lua(e, names)) for e in arguments] + \
                    [(e, real) for e in reals] + [(condition, interval) for condition, _ in self.decisions]:
                left = self.reduced(expr)
                if fits(left) is None:
                    last = max(left.free_symbols, key=lambda s: order.get(s, math.inf))
                    if last not in self.values:
                        refuse("size", size=expr)
                    self.fixed[last] = self.values[last]
                    changed = True

    def reduced(self, expr):
        """Twice: a symbol may stand for another one, which is a number."""
        return sympy.sympify(expr).subs(self.fixed).subs(self.fixed) if self.fixed else expr

    def takes(self, at):
        """Whether the module decides at these sizes as it does at get_inputs' own."""
        numbers = {symbol: at[name] for symbol, name in self.names.items()}
        return all(self.reduced(condition).subs(numbers) != sympy.false for condition, _ in self.decisions)

    def told_decisions(self):
        """Of each place: "block.py, line 8: B > 4"."""
        names = {symbol: sympy.Symbol(name) for symbol, name in self.names.items()}
        texts = [(place, self.reduced(condition).subs(names)) for condition, place in self.decisions]
        return sorted({place + (f": {text}" if text.free_symbols else "") for place, text in texts})

    def has_extent(self, dimension):
        """Inputs and outputs have one; what lies between may not (the smaller of a size and 16)."""
        return linear(self.reduced(expression(dimension))) is not None

    def extent(self, dimension):
        """One entry of a tensor's shape: 3, "N" or "2*N-1"."""
        symbol, factor, summand = linear(self.reduced(expression(dimension)))
        if symbol is None:
            return summand
        return (f"{factor}*" if factor != 1 else "") + self.names[symbol] + (f"{summand:+d}" if summand else "")

    def where(self, size, inputs):
        """(input, dimension, factor, summand): where a call's tensors tell a size."""
        found = [(one, place, form[1], form[2]) for one in inputs for place, d in enumerate(one.shape)
                 if (form := linear(self.reduced(expression(d))))[0] is not None and self.names[form[0]] == size]
        return min(found, key=lambda place: (place[2] != 1, place[3] != 0))

    def number(self, dimension, at):
        """The same at given sizes."""
        symbol, factor, summand = linear(self.reduced(expression(dimension)))
        return summand + (factor * at[self.names[symbol]] if symbol is not None else 0)

    def real(self, value):
        """A real number of the module's, whose sizes are all numbers by now."""
        return float(self.reduced(value.node.expr)) if isinstance(value, torch.SymFloat) else value

    def lua(self, value):
        return lua(self.reduced(expression(value)), self.names)
