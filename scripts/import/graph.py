"""The exported graph as steps of a pure function: every operator in its functional form."""
import operator

import torch
from operators import DROPPED, RENAMED, SAME, arguments_of, check_known, plain_name, precision
from refusals import refuse
from steps import Size, Step, Value


def takes_all(node):
    """Of a slice: from the first to the last, as a[:, 0] has it for the dimensions before."""
    begin, end, step = [*node.args[2:], *[None] * 3][:3]
    return not isinstance(begin, torch.fx.Node) and (begin or 0) == 0 and end in (None, 2**63 - 1) and step in (None, 1)


class Steps:
    """steps: in their order; outputs: Values."""

    def __init__(self, exported, sizes, inputs, constants):
        """inputs: {placeholder: Value}; constants: {placeholder: function of add} of tables that steps make."""
        self.sizes, self.steps = sizes, []
        self.at, self.root = {}, {}  # by node: its Value; whose memory it shares
        self.order = {node: place for place, node in enumerate(exported.graph.nodes)}
        for node, value in inputs.items():
            self.at[node] = value
        for node, make in constants.items():
            self.at[node] = make(self.add)
        self.tables = {node for node, _, _ in exported.tables}
        for node in exported.graph.nodes:
            if node.op == "call_function":
                self.translate(node)
        self.outputs = [self.at[node] for node in exported.outputs]
        self.drop_unused()

    def add(self, name, positional, named, count=1):
        step = Step(name, positional, named, [])
        step.results = [Value(step, place) for place in range(count)]
        self.steps.append(step)
        return step.results[0]

    def translate(self, node):
        if isinstance(node.meta.get("val"), (torch.SymInt, int, torch.SymFloat, float)):
            return  # an expression of the sizes, written where it is used
        if node.target is operator.getitem:
            self.at[node] = self.element(*node.args)
            return
        name = plain_name(node.target) if isinstance(node.target, torch._ops.OpOverload) else ""
        if name in DROPPED:
            return
        check_known(node.target)
        if self.overwrites_a_table(node, name):
            return
        if name in SAME or name == "slice" and takes_all(node):
            self.at[node] = self.at[node.args[0]]
            self.root[node] = self.root_of(node.args[0])
            return
        self.call(node, RENAMED.get(name, name))

    def element(self, source, place):
        value = self.at[source]
        if isinstance(value.of, Step) and len(value.of.results) > 1:
            return value.of.results[place]
        return Value(value, place)

    def overwrites_a_table(self, node, name):
        """Counters of calls count for nobody; a table that is filled before anyone reads it is no state."""
        first = node.args[0] if node.args else None
        if not node.target._schema.is_mutable or first not in self.tables:
            return False
        readers = [user for user in first.users if user is not node]
        if name == "copy" and all(self.order[user] > self.order[node] for user in readers):
            self.at[first] = self.at[node] = self.at[node.args[1]]
        elif readers or node.users:
            refuse("state", name=first.name)
        return True

    def call(self, node, name):
        positional, named = arguments_of(node)
        named = {argument.name: value for argument, value in named}
        dtype = precision(node, named)
        if dtype is not None:
            named["dtype"] = dtype
            positional = [pair for pair in positional if pair[0].name != "dtype"]
        if name == "to":
            positional, named = positional[:1], {"dtype": dtype}
        if name == "copy":  # the source as the target has it
            name = "expand_as"
            positional = positional[1::-1]
        several = len(node.target._schema.returns)
        arguments = [self.argument(v) for _, v in positional]
        if node.target._schema.name == "aten::copy_":
            arguments[0] = self.cast(node, arguments[0])
        value = self.add(name, arguments,
                         {key: self.argument(v) for key, v in named.items()}, several)
        if node.target._schema.is_mutable:
            self.rebind(node, value)
        self.at[node] = value
        if any(r.alias_info is not None for r in node.target._schema.returns):
            self.root[node] = self.root_of(node.args[0])

    def cast(self, copy, value):
        """What copy_ writes has the dtype of what it is written into."""
        target, source = (one.meta["val"] for one in copy.args[:2])
        return value if target.dtype == source.dtype else self.add("to", [value], {"dtype": target.dtype})

    def argument(self, value):
        if isinstance(value, torch.fx.Node):
            made = value.meta.get("val")
            if isinstance(made, (torch.SymInt, int)) and not isinstance(made, bool):
                text = self.sizes.lua(made)
                return Size(text) if text else refuse("size", size=made)
            if isinstance(made, (torch.SymFloat, float)):
                return self.sizes.real(made)
            return self.at[value]
        if isinstance(value, (list, tuple)):
            return [self.argument(one) for one in value]
        return value

    def root_of(self, node):
        return self.root.get(node, node)

    def rebind(self, node, value):
        """After relu_(x) the name x means the new tensor, and so does every other name of it. A view that is read later would
        have to change as well."""
        first = node.args[0]
        old = self.at[first]
        for other, had in list(self.at.items()):
            if had is old:
                self.at[other] = value
            elif self.root_of(other) is self.root_of(first) and self.is_read_after(other, node):
                refuse("writes", name=node.target._schema.name.split("::")[1])

    def is_read_after(self, node, moment):
        return any(self.order[user] > self.order[moment] for user in node.users)

    def drop_unused(self):
        needed = {(v.of if isinstance(v.of, Value) else v) for v in self.outputs}
        kept = []
        for step in reversed(self.steps):
            if needed & set(step.results):
                kept.append(step)
                needed |= set(step.values())
        self.steps = kept[::-1]
