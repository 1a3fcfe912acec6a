"""What a program of the task is given: the tensors of each call, the weights, and the tables that a module keeps."""
import re

import torch
from laws import law_text, seen_law, weight_law
from refusals import refuse
from steps import Value
from uses import use_of

DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
          torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}
# Words that a program in C++ (engine/domain/extent.cpp refuses them) or Lua cannot have as names, and a reference's globals.
RESERVED = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await co_return
co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else elseif end enum
explicit export extern false float for friend function goto if in inline int local long mutable namespace new nil noexcept not not_eq nullptr
operator or or_eq private protected public real register reinterpret_cast repeat requires restrict return short signed sizeof static static_assert
static_cast struct switch template then this thread_local throw true try typedef typeid typename union unsigned until using virtual void volatile
wchar_t while xor xor_eq torch F math string table type""".split())


class Input:
    """target: its name in the module, empty for the tensors of each call; place: which argument of forward those are."""

    def __init__(self, node, tensor, label, law, target="", place=None, strict=False):
        self.node, self.label, self.law, self.target, self.place, self.strict = node, label, law, target, place, strict
        # a task has no weight without a dimension: an input of rank 0 is a scalar, which each call brings (hone/call.h)
        self.is_number = bool(target) and tensor.dim() == 0
        self.value, self.shape = Value(), (1,) if self.is_number else node.meta["val"].shape
        if tensor.dtype not in DTYPES:
            refuse("dtype", name=label, dtype=str(tensor.dtype)[6:])
        self.dtype = DTYPES[tensor.dtype]


class Labels:
    """Names that are there once, and that a C program may use."""

    def __init__(self):
        self.taken = set()

    def of(self, name):
        label = re.sub(r"\W", "_", name).lstrip("_") or "x"
        label = "t" + label if label[0].isdigit() else label
        while label in self.taken or label in RESERVED:
            label += "_"
        self.taken.add(label)
        return label


def is_filled(tensor):
    return tensor.numel() > 0 and bool((tensor == tensor.flatten()[0]).all())


def maker_of(tensor):
    """How a step makes a table that needs no numbers written down, as a function of Steps.add; None: none does."""
    shape, named = list(tensor.shape), {"dtype": tensor.dtype}
    if is_filled(tensor):
        return lambda add: add("full", [shape, tensor.flatten()[0].item()], named)
    if tensor.dim() == 1 and torch.equal(tensor, torch.arange(tensor.numel()).to(tensor.dtype)):
        return lambda add: add("arange", [tensor.numel()], named)
    if tensor.dim() >= 2 and torch.equal(tensor, torch.tril(torch.ones_like(tensor))):
        return lambda add: add("tril", [add("ones", [shape], named)], {})
    return None


def overwritten(node):
    """Whether a table is filled anew, or only counts, before anybody reads it (graph.Steps.overwrites_a_table)."""
    first = min(node.users, key=list(node.graph.nodes).index, default=None)
    schema = getattr(getattr(first, "target", None), "_schema", None)
    return first is None or schema is not None and schema.is_mutable and first.args[0] is node


def statistics_only(node):
    """Running means that a norm in training mode writes and nobody reads."""
    def writes(user):
        name = getattr(getattr(user.target, "_schema", None), "name", "")
        named = dict(zip([a.name for a in user.target._schema.arguments], user.args)) if name else {}
        return name == "aten::batch_norm" and named["training"] or name == "aten::instance_norm" and named["use_input_stats"] or \
            name == "aten::add_" and user.args[0] is node
    return all(writes(user) for user in node.users)


class Inputs:
    """all: Inputs in the order of the task's; constants: {placeholder: how a step makes it}."""

    def __init__(self, exported, origins, given):
        self.all, self.constants, self.notes = [], {}, sorted(origins.notes)
        self.laws = []  # of exported.data, in its order
        labels = Labels()
        for node, fake, place in exported.data:
            known, label = origins.laws.get(id(fake)), labels.of(node.name)
            self.laws.append(known or seen_law(given(place)))
            law = law_text(self.laws[-1])
            if not known:
                self.notes.append(f"input {label} has the law {law}, whatever structure get_inputs gives its values")
            self.all.append(Input(node, fake, label, law, place=place))
        for node, tensor, target in exported.weights:
            if node.users:
                law = law_text(weight_law(tensor, use_of(node)))
                self.all.append(Input(node, tensor, labels.of(re.sub("^p_", "", node.name)), law, target))
        for node, tensor, target in exported.tables:
            if not statistics_only(node) and not overwritten(node):
                self.take_table(node, tensor, target, labels)

    def take_table(self, node, tensor, target, labels):
        norm = any("norm" in str(user.target) for user in node.users)
        made = None if norm else maker_of(tensor)
        if made:
            self.constants[node] = made
        elif "lifted_tensor" in target:
            refuse("table", name=target, shape=list(tensor.shape))
        else:  # a buffer: any program may be asked to take it as it comes
            law = weight_law(tensor, None) if tensor.is_floating_point() else seen_law(tensor)
            label = labels.of(re.sub("^b_|^c_", "", node.name))
            self.all.append(Input(node, tensor, label, law_text(law), target, strict="running_var" in target))
            if not norm:
                self.notes.append(f"{label}, a table of the module, is an input")
