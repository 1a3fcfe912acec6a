"""What a reference is made of: calls of operators, one after the other, each with results of its own."""


class Value:
    """A tensor, or a list of tensors, of the reference: an input (of is None), a step's result, or an element of a list."""

    def __init__(self, of=None, place=None):
        self.of, self.place, self.name = of, place, None


class Size:
    """An integer that follows from the sizes, in Lua."""

    def __init__(self, text):
        self.text = text


class Step:
    def __init__(self, name, positional, named, results):
        self.name, self.positional, self.named, self.results = name, positional, named, results

    def values(self):
        """The Values among its arguments."""
        waiting = [*self.positional, *self.named.values()]
        while waiting:
            one = waiting.pop()
            if isinstance(one, (list, tuple)):
                waiting.extend(one)
            elif isinstance(one, Value):
                yield one.of if isinstance(one.of, Value) else one
