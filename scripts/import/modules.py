"""A Python file in KernelBench's form (Model, get_inputs, get_init_inputs), read with other sizes where they are asked for."""
import ast
import contextlib
import difflib
import sys
import types

import torch
from refusals import refuse


class OtherSizes(ast.NodeTransformer):
    """Gives constants of the file's top level other values; what is computed from them follows."""

    def __init__(self, given):
        self.given, self.names = given, []

    def visit_Assign(self, node):
        for target in node.targets:
            if not isinstance(target, ast.Name):
                continue
            self.names.append(target.id)
            if target.id in self.given:
                node.value = ast.parse(self.given[target.id], mode="eval").body
        return node


RETURNS = {"get_inputs": "the list of arguments of forward", "get_init_inputs": "the list of arguments of Model"}


def with_sizes(file, text, given):
    """The file's syntax tree. given: {"batch_size": "4"}, values as Python writes them."""
    tree, sizes = ast.parse(text, file), OtherSizes(given)
    tree.body = [sizes.visit(line) if isinstance(line, ast.Assign) else line for line in tree.body]
    for name in given:
        if name not in sizes.names:
            near = difflib.get_close_matches(name, sizes.names, 1)
            refuse("no-constant", file=file, name=name, suggestion=f" (did you mean {near[0]}?)" if near else "")
    return ast.fix_missing_locations(tree)


def with_values(file, text, given):
    """The file's text, with the values that were asked for."""
    return ast.unparse(with_sizes(file, text, given)) + "\n" if given else text


def load(file, text, given):
    """The file as a module of Python, checked to be in the form."""
    module = types.ModuleType("imported_task")
    sys.modules["imported_task"] = module  # dataclasses and pickling look their module up
    try:
        exec(compile(with_sizes(file, text, given), file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        if hasattr(error, "word"):
            raise
        refuse("unreadable", file=file, error=error)
    if not isinstance(getattr(module, "Model", None), type):
        refuse("no-model", file=file)
    if not issubclass(module.Model, torch.nn.Module):
        refuse("no-module", file=file)
    for name, returns in RETURNS.items():
        if not callable(getattr(module, name, None)):
            refuse("no-function", file=file, name=name, returns=returns)
    return module


def listed(module, name):
    """What the function of that name returns."""
    given = getattr(module, name)()
    if not isinstance(given, (list, tuple)):
        refuse("no-list", name=name, kind="Tensor" if isinstance(given, torch.Tensor) else type(given).__name__, returns=RETURNS[name])
    return given


def without_dropout(model):
    """Dropout draws random numbers, so a task leaves it out. Returns whether there was any that is live."""
    live = False
    for part in model.modules():
        if isinstance(part, torch.nn.modules.dropout._DropoutNd):
            live = live or part.p > 0
            part.eval()
        elif isinstance(getattr(part, "dropout", None), float) and isinstance(part, torch.nn.RNNBase):
            live = live or part.dropout > 0
            part.dropout = 0.0
    return live


def build(module):
    """(model, whether dropout was left out of it). Its mode is the one it is made in: nothing switches to inference."""
    torch.manual_seed(0)
    try:
        given = listed(module, "get_init_inputs")
        with torch.no_grad():
            # robust-kbench and later files of KernelBench pass a dictionary beside the list
            keyed = len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict)
            model = module.Model(*given[0], **given[1]) if keyed else module.Model(*given)
    except Exception as error:
        if hasattr(error, "word"):
            raise
        refuse("constructor", error=error)
    return model, without_dropout(model)


@contextlib.contextmanager
def untouched(model):
    """A call may leave tensors in the module (self.hidden = ...): without memory, or of other sizes. Afterwards it is as before."""
    kept = [(table, dict(table)) for part in model.modules() for table in (part.__dict__, part._buffers)]
    try:
        yield
    finally:
        for table, content in kept:
            table.clear()
            table.update(content)
