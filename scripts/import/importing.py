"""One module into a task: what the conversation in main.py asks for."""
import os

import torch
from exporting import export, fake_inputs
from graph import Steps
from inputs import DTYPES, Inputs
from laws import sample
from modules import Dropout, build, load, untouched, with_values
from places import decisions
from refusals import refuse
from shapes import Shapes
from sizes import Sizes
from state import MOST, refuse_state
from sums import orders_ties, terms
from task_text import TaskText

TYPES = {word: dtype for dtype, word in DTYPES.items()}


class Imported:
    def __init__(self, file, name, origin, given):
        source = text_of(file, origin)
        self.module = load(origin, source, given)
        self.model = build(self.module)
        self.exported, origins = export(self.model, lambda: fake_inputs(self.module))
        self.inputs = Inputs(self.exported, origins, lambda place: self.module.get_inputs()[place])
        sizes = Sizes(self.exported, {one.label for one in self.inputs.all}, decisions(self.exported.graph))
        self.laws_of_sizes(sizes)
        shapes = Shapes(self.model, self.exported, sizes)
        steps = Steps(self.exported, sizes, {one.node: one.value for one in self.inputs.all}, self.inputs.constants)
        for node in self.exported.outputs:
            if node.meta["val"].dtype not in DTYPES:
                refuse("dtype", name="an output", dtype=str(node.meta["val"].dtype)[6:])
        if shapes.elements(shapes.small) <= MOST:
            refuse_state(self.module, self.model, self.sampled(shapes))
        self.notes = self.inputs.notes + (["dropout is left out: it draws random numbers"] if Dropout.live else [])
        if sizes.decisions:
            self.notes.append(f"forward decides by its inputs' shapes ({'; '.join(sizes.told_decisions())}): the task is what it does at those of get_inputs")
        if given:
            self.notes.append("sizes are other than the file's: " + ", ".join(f"{k} = {v}" for k, v in given.items()))
        numbers = [(place, one) for place, one in enumerate(self.exported.example) if not isinstance(one, torch.Tensor)]
        self.text = TaskText(name, origin, with_values(origin, source, given), numbers, sizes, shapes, self.inputs.all, steps, self.exported.outputs,
                             terms(self.exported.graph, sizes), orders_ties(self.exported.graph), self.notes)
        self.operators = sorted({step.name for step in steps.steps})

    def laws_of_sizes(self, sizes):
        """index(1000) of a class among 1000 becomes index(C), so that it holds at every shape. A size of the input's own, and a number that a weight
        has as a dimension, are equal by chance."""
        fixed = {n for _, tensor, _ in self.exported.weights for n in tensor.shape}
        for one in self.inputs.all:
            own = {sizes.lua(n) for n in one.shape}
            matching = [s for s, n in sizes.timed.items() if one.law == f"index({n})" and s not in own and n not in fixed]
            if matching and one.place is not None:
                one.law = f"index({matching[-1]})"

    def sampled(self, shapes):
        """Arguments of forward at the small shape."""
        arguments = list(self.exported.example)
        for (_, _, place), law, tensor in zip(self.exported.data, self.inputs.laws, shapes.tensors(shapes.small)):
            arguments[place] = sample(law, tensor.shape, tensor.dtype)
        return arguments

    # ---- the module's own answers

    def run(self, files, folder):
        """The module on tensors in files, in float64: one file of float64 numbers an output. Returns their paths."""
        torch.set_default_dtype(torch.float64)
        try:
            arguments = self.arguments(files)
            with untouched(self.model), torch.no_grad():
                outputs = self.model(*arguments)
        except Exception as error:
            refuse("run", error=error)
        finally:
            torch.set_default_dtype(torch.float32)
        flat = [one for one in torch.utils._pytree.tree_leaves(outputs) if isinstance(one, torch.Tensor)]
        return [write(one, os.path.join(folder, f"output{place}")) for place, one in enumerate(flat)]

    def arguments(self, files):
        arguments = list(self.exported.example)
        for one, file in zip(self.inputs.all, files):
            tensor = read(file["file"], file["shape"], TYPES[one.dtype])
            if one.target:
                put(self.model, one.target, tensor)
            else:
                arguments[one.place] = tensor
        self.model.double()  # what is no input of the task: running statistics, tables of ones
        return arguments


def text_of(file, origin):
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        refuse("unreadable", file=origin, error=error)


def read(path, shape, dtype):
    count = torch.Size(shape).numel()
    tensor = torch.from_file(path, shared=False, size=count, dtype=dtype).reshape(shape)
    return tensor.double() if dtype.is_floating_point else tensor.clone()


def put(model, target, tensor):
    """A parameter, a buffer or an attribute of a part of the model."""
    path, _, name = target.rpartition(".")
    owner = model.get_submodule(path)
    tensor = tensor.reshape(getattr(owner, name).shape)  # of one number: Input.is_number
    if isinstance(getattr(owner, name), torch.nn.Parameter):
        getattr(owner, name).data = tensor
    else:
        setattr(owner, name, tensor)


def write(tensor, path):
    if os.path.exists(path):  # of another shape
        os.remove(path)
    flat = tensor.detach().double().contiguous().flatten()
    torch.from_file(path, shared=True, size=flat.numel(), dtype=torch.float64).copy_(flat)
    return path
