"""Laws of a task's inputs (docs/tasks.md, "Laws of inputs"): where get_inputs draws its values from, and what weights a network needs."""
import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode

KEEP = {"_to_copy", "clone", "detach", "view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "expand", "transpose", "permute",
        "t", "contiguous", "alias", "lift_fresh"}
STRUCTURE = {"triu", "tril"}  # the law of what they keep


def number(x):
    text = repr(float(f"{x:.4g}"))
    return text[:-2] if text.endswith(".0") else text


def law_text(law):
    kind, scale, shift = law
    if kind == "index":
        return f"index({scale},{shift})" if shift else f"index({scale})"
    if kind == "normal" and (scale, shift) == (1, 0):
        return "normal"
    return f"{kind}({number(scale)})" if shift == 0 else f"{kind}({number(scale)},{number(shift)})"


def sample(law, shape, dtype):
    """Some numbers of the law."""
    kind, scale, shift = law
    if kind == "index":
        return torch.randint(shift, shift + scale, shape).to(dtype)
    numbers = torch.randn(shape) if kind == "normal" else 2 * torch.rand(shape) - 1
    return (shift + scale * numbers).to(dtype)


def drawn(name, overload, args):
    """The law of what an operator draws; None: it draws nothing."""
    if name == "rand":
        return ("uniform", 0.5, 0.5)
    if name == "randn":
        return ("normal", 1.0, 0.0)
    if name == "randint":
        low, high = (args[0], args[1]) if "low" in overload else (0, args[0])
        return ("index", high - low, low)
    return None


def moved(name, law, factor):
    """A law times a number, or plus one."""
    kind, scale, shift = law
    if kind == "index" or factor == 0 and name == "mul":
        return None
    if name in ("mul", "div"):
        factor = 1 / factor if name == "div" else factor
        return (kind, scale * abs(factor), shift * factor)
    return (kind, scale, shift + (factor if name == "add" else -factor))


def fits(law, dtype):
    """Whether a tensor of that dtype can have the law: after a cast it may not."""
    if law is None or dtype.is_floating_point:
        return True
    kind, scale, shift = law
    return kind == "index" and (dtype != torch.bool or shift == 0 and scale <= 2)


class Origins(TorchDispatchMode):
    """Which law the tensors of get_inputs follow, from the operators that make them."""

    def __init__(self):
        super().__init__()
        self.laws, self.kept, self.notes = {}, [], set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if function._schema.is_mutable:
            self.forget(args[0] if args else None)
        if isinstance(out, torch.Tensor):
            self.kept.append(out)  # an address would otherwise be another tensor's next
            law = self.law_of(function, args, kwargs)
            self.laws[id(out)] = law if fits(law, out.dtype) else None
        return out

    def forget(self, written):
        """What is written into follows no single law any more, nor does what shares its memory."""
        if isinstance(written, torch.Tensor):
            memory = written.untyped_storage()._cdata
            for one in self.kept:
                if one.untyped_storage()._cdata == memory:
                    self.laws[id(one)] = None

    def law_of(self, function, args, kwargs):
        name = function._schema.name.split("::")[1]
        law = drawn(name, function._overloadname, args)
        if law:
            return law
        known = [self.laws.get(id(a)) for a in args if isinstance(a, torch.Tensor)]  # a number in a tensor may be drawn, too
        if len(known) != 1 or known[0] is None:
            return None
        if name in STRUCTURE:
            self.notes.add(f"inputs are whole, while get_inputs passes them through {name}")
        if name in KEEP or name in STRUCTURE:
            return known[0]
        if name in ("mul", "div", "add", "sub") and not kwargs:  # alpha, rounding_mode
            numbers = [a for a in args if isinstance(a, (int, float)) and not isinstance(a, bool)]
            return moved(name, known[0], float(numbers[0])) if numbers else known[0] if name == "mul" else None
        return None


def seen_law(tensor):
    """From the values alone, for what no single law made."""
    if not tensor.is_floating_point():
        least, most = int(tensor.min()), int(tensor.max())
        return ("index", most - min(least, 0) + 1, min(least, 0))
    values = tensor.detach().flatten()[: 1 << 20].double()
    low, high, deviation = float(values.min()), float(values.max()), float(values.std(unbiased=False))
    if low >= 0:  # shares, probabilities, distances: below zero lies another domain
        return ("uniform", (high - low) / 2 or high / 2 or 0.5, (high + low) / 2 or 0.5)
    return ("normal", deviation or 1.0, float(values.mean()) if abs(float(values.mean())) > deviation / 4 else 0.0)


def even(deviation):
    """Even over an interval around zero, of that deviation."""
    return ("uniform", deviation * math.sqrt(3), 0.0)


def weight_law(tensor, use):
    """use: ("sum", terms, gain) of the weights of a sum of `terms` products, whose result should be as large as its inputs;
    ("recurrent", terms) of what is applied at every step; ("bias",); None where nothing is known but the first values."""
    if use and use[0] == "sum":
        return even(math.sqrt(use[2] / use[1]))
    if use and use[0] == "recurrent":  # as torch draws them: more would let rounding errors grow from step to step
        return ("uniform", 1 / math.sqrt(use[1]), 0.0)
    if use and use[0] == "bias":
        return ("uniform", 0.5, 0.0)
    values = tensor.detach().flatten()[: 1 << 20].double()
    low, high = float(values.min()), float(values.max())
    if low != high:
        return first_values(values, low, high)
    # scales and shifts that start as ones and zeros would hide whether a program applies them
    return ("uniform", abs(low) / 2, low) if low else ("uniform", 0.25, 0.0)


def first_values(values, low, high):
    mean, deviation = float(values.mean()), float(values.std(unbiased=False))
    if abs(mean) < 4 * deviation / math.sqrt(values.numel()):
        mean = 0.0
    if max(high - mean, mean - low) < 1.9 * deviation:
        return ("uniform", max(high - mean, mean - low), mean)
    return ("normal", deviation, mean)
