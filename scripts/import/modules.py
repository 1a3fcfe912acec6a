"""A Python file in KernelBench's form (Model, get_inputs, get_init_inputs), read with other sizes where they are asked for."""
import ast
import contextlib
import difflib
import functools
import sys
import types

import torch
from places import first_line
from refusals import refuse


class OtherSizes:
    """Gives constants of the file's top level other values; what is computed from them follows."""

    def __init__(self, given):
        self.given, self.names = given, []

    def assigned(self, node):
        """The statements in place of one: of A = B = 16, only what is asked for gets another value; behind A, B = 4, 5 it is set anew."""
        targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
        names = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        self.names += names
        asked = [name for name in names if name in self.given]
        left = [target for target in targets if not (isinstance(target, ast.Name) and target.id in asked)]
        if isinstance(node, ast.Assign):
            node.targets = left
        return [node] * bool(left) + [ast.Assign([ast.Name(name, ast.Store())], value_of(name, self.given[name])) for name in asked]


def value_of(name, text):
    """What --set gives, as a syntax tree."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        return refuse("no-value", name=name, value=text, error=f"SyntaxError: {error.msg}")


def blame_values(module, given, error):
    """Of a file that cannot be run: the fault is that of a given value where the value alone, after what has run, fails alike."""
    for name, text in given.items():
        try:
            eval(text, dict(module.__dict__))
        except Exception as own:
            if repr(own) == repr(error):
                refuse("no-value", name=name, value=text, error=first_line(own))


RETURNS = {"get_inputs": "the list of arguments of forward", "get_init_inputs": "the list of arguments of Model"}


def with_sizes(file, text, given):
    """The file's syntax tree. given: {"batch_size": "4"}, values as Python writes them."""
    tree, sizes = ast.parse(text, file), OtherSizes(given)
    tree.body = [new for line in tree.body for new in (sizes.assigned(line) if isinstance(line, (ast.Assign, ast.AnnAssign)) else [line])]
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
        blame_values(module, given, error)
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


class Dropout:
    """Dropout draws random numbers, so a task leaves it out: as a module, as a function and within attention."""
    live = False  # whether a module or a call had any

    @classmethod
    def skip(cls, input, p=0.5, training=True, inplace=False):
        cls.live = cls.live or (training and p > 0)
        return input

    @classmethod
    def attention(cls, plain, *given, dropout_p=0.0, **named):
        given = list(given)
        if len(given) > 4:  # query, key, value, attn_mask, dropout_p
            dropout_p, given[4] = given[4], 0.0
        cls.live = cls.live or dropout_p > 0
        return plain(*given, **named)

    @classmethod
    def leave_out(cls):
        functional = torch.nn.functional
        for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
            setattr(functional, name, cls.skip)
        for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
            setattr(torch, name, lambda input, p, train: cls.skip(input, p, train))
        functional.scaled_dot_product_attention = functools.partial(cls.attention, functional.scaled_dot_product_attention)


Dropout.leave_out()


def without_dropout(model):
    """Of recurrent layers, whose kernels draw themselves."""
    for part in model.modules():
        if isinstance(part, torch.nn.RNNBase):
            Dropout.live = Dropout.live or part.dropout > 0
            part.dropout = 0.0
    return model


def build(module):
    """The model, without dropout. Its mode is the one it is made in: nothing switches to inference."""
    torch.manual_seed(0)
    Dropout.live = False
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
    return without_dropout(model)


@contextlib.contextmanager
def untouched(model):
    """A call may leave tensors in the module (self.hidden = ...) or its file: without memory, or of other sizes. Afterwards it is as before."""
    tables = [table for part in model.modules() for table in (part.__dict__, part._buffers)]
    kept = [(table, dict(table)) for table in [*tables, vars(sys.modules[type(model).__module__])]]
    lists = [(one, list(one)) for table, _ in kept for one in table.values() if isinstance(one, list)]
    try:
        yield
    finally:
        for table, content in kept:
            table.clear()
            table.update(content)
        for one, content in lists:
            one[:] = content
