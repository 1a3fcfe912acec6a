"""What a call leaves and the next one reads, in Python: the export keeps the first call alone, and knows of buffers only."""
import collections

import torch
from modules import untouched
from refusals import refuse
from torch.nn.modules.batchnorm import _NormBase

MOST = 1 << 28  # numbers in inputs and outputs; a module that needs more is not called here: that may take all memory
OF_EVERY_MODULE = vars(torch.nn.Module()).keys() - {"training"}


def copied(value):
    """As it is now: the next call may write into it."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, collections.deque)):
        return [copied(one) for one in value]
    return set(value) if isinstance(value, set) else value


def alike_tensors(one, other):
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return bool(((one == other) | (one != one) & (other != other)).all())  # NaN is like NaN


def alike(one, other):
    """Of copies, to the last bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return alike_tensors(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return one is other or isinstance(one, (int, float, complex, str, bytes, set)) and one == other


def agree(one, other):
    """Of answers: threads may add in another order."""
    if not isinstance(one, torch.Tensor) or not one.is_floating_point() or one.shape != other.shape:
        return alike(one, other)
    finite = one[one.isfinite()].abs()
    largest = float(finite.max()) if finite.numel() else 0.0
    return torch.allclose(one, other, rtol=1e-5, atol=1e-5 * largest, equal_nan=True)


def answer(model, arguments):
    torch.manual_seed(0)
    with torch.no_grad():
        return [copied(one) for one in torch.utils._pytree.tree_leaves(model(*map(copied, arguments)))]


def tables(module, model):
    """(path, names and values) of what a call may change: attributes of the parts, of their classes, of the file."""
    for path, part in model.named_modules():
        if not isinstance(part, _NormBase):  # its running statistics are written or read, never both
            yield path, {**{name: one for name, one in vars(part).items() if name not in OF_EVERY_MODULE}, **part._parameters, **part._buffers}
    yield "", {name: one for name, one in vars(module).items() if not name.startswith("__")}
    for name, kind in vars(module).items():
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            yield name, {key: one for key, one in vars(kind).items() if not key.startswith("__")}


def contents(module, model):
    return {f"{path}.{name}".lstrip("."): copied(one) for path, table in tables(module, model) for name, one in table.items()}


def changed_name(module, model, arguments):
    """Of the first that one call changes."""
    before = contents(module, model)
    answer(model, arguments)
    after = contents(module, model)
    return next((name for name in after if name not in before or not alike(before[name], after[name])), "something outside the module")


def refuse_state(module, model, arguments):
    """What a call leaves and nobody reads is no state: it shows in no answer."""
    try:
        with untouched(model):
            first, second = answer(model, arguments), answer(model, arguments)
            stays = len(first) == len(second) and all(map(agree, first, second))
    except Exception:  # the check of answers tells of it, at its shape
        return
    if not stays:
        with untouched(model):
            name = changed_name(module, model, arguments)
        refuse("state", name=name)
