"""Other shapes of a task: found by running the module without memory (fake tensors) at sizes that are tried."""
import torch
from modules import untouched
from torch._subclasses.fake_tensor import FakeTensorMode

SMALL = 1 << 18  # elements of inputs and outputs that a CPU verifies in moments
FEW = 4          # a size is not made smaller than that for its sake
BEYOND = 4       # the judge draws sizes up to so many times the timed one


class Shapes:
    """timed: the shape of get_inputs; least: the smallest value of each size; hidden: shapes for a task file; small: one for a CPU."""

    def __init__(self, model, exported, sizes):
        self.model, self.exported, self.sizes, self.timed = model, exported, sizes, sizes.timed
        self.least = {size: self.least_of(size) for size in self.timed}
        self.most = {size: self.most_of(size) for size in self.timed}
        self.small = self.smaller()
        self.hidden = self.other_shapes()

    def tensors(self, at):
        return [torch.empty([self.sizes.number(d, at) for d in node.meta["val"].shape], dtype=given.dtype)
                for node, given, _ in self.exported.data]

    def outputs(self, at):
        return [[self.sizes.number(d, at) for d in node.meta["val"].shape] for node in self.exported.outputs]

    def runs(self, at):
        """Whether the module takes inputs at these sizes, decides as at the timed ones and gives outputs as declared, none of them empty."""
        if not self.sizes.takes(at) or any(n < 1 for shape in self.outputs(at) for n in shape):
            return False
        try:
            with untouched(self.model), FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
                arguments = list(self.exported.example)
                for (_, _, place), tensor in zip(self.exported.data, self.tensors(at)):
                    arguments[place] = tensor
                got = self.model(*arguments)
        except Exception:  # of whatever kind: the shape is not one of the module's
            return False
        flat = torch.utils._pytree.tree_leaves(got)
        return [list(one.shape) for one in flat if isinstance(one, torch.Tensor)] == self.outputs(at)

    def works(self, size, n):
        return self.runs({**self.timed, size: n})

    def least_of(self, size):
        """By doubling, and then by halves of what the last doubling skipped: what works from there on is found in few runs."""
        n = 1
        while n < self.timed[size] and not self.works(size, n):
            n *= 2
        return self.first(size, n // 2, min(n, self.timed[size]), True)

    def first(self, size, before, there, wanted):
        """The first n at which the module works, or no longer does: not at `before`, and at `there`."""
        while there - before > 1:
            middle = (before + there) // 2
            before, there = (before, middle) if self.works(size, middle) == wanted else (middle, there)
        return there

    def most_of(self, size):
        """Up to BEYOND times the timed value, as far as the judge draws: a table of positions may end before."""
        most = BEYOND * self.timed[size]
        return most if self.works(size, most) else self.first(size, self.timed[size], most, False) - 1

    def elements(self, at):
        shapes = [[self.sizes.number(d, at) for d in node.meta["val"].shape] for node, _, _ in self.exported.data]
        return sum(torch.Size(shape).numel() for shape in shapes + self.outputs(at))

    def smaller(self):
        """The timed shape with its largest sizes halved until it is small."""
        at, stuck = dict(self.timed), set()
        while self.elements(at) > SMALL and len(stuck) < len(at):
            size = max((s for s in at if s not in stuck), key=lambda s: at[s])
            half = {**at, size: at[size] // 2}
            if half[size] >= max(FEW, self.least[size]) and self.runs(half):
                at = half
            else:
                stuck.add(size)
        return at

    def other_shapes(self):
        """The smallest, one between, and one larger in every size: numbers, or "N+1" that goes with the timed shape."""
        between = {s: max(self.least[s], self.small[s] // 2 + 1) for s in self.timed}
        hidden = []
        for shape in (dict(self.least), between):
            if shape not in (self.timed, self.small, *hidden) and self.runs(shape):
                hidden.append(shape)
        may_grow = [s for s, n in self.timed.items() if self.most[s] > n]
        if self.timed and len(may_grow) == len(self.timed) and self.runs({s: n + 1 for s, n in self.timed.items()}):
            return hidden + [{s: f"{s}+1" for s in self.timed}]
        return hidden + [{**dict.fromkeys(self.timed), **{s: s for s in self.timed}, one: f"{one}+1"} for one in may_grow
                         if self.runs({**self.timed, one: self.timed[one] + 1})]

    def ranges(self):
        """Of sizes that do not begin at 1, or that end."""
        return {s: (self.least[s], self.most[s]) for s, n in self.timed.items()
                if self.least[s] > 1 or self.most[s] < BEYOND * n}
