"""A module through torch.export: its operators kept whole, and the dimensions of its inputs that may vary as symbols."""
import torch
from laws import Origins
from modules import listed, untouched
from refusals import refuse
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv


class Exported:
    """graph: of torch.fx; inputs: (placeholder, tensor, kind, name in the module) in the order of the task's inputs; outputs: nodes."""

    def __init__(self, program, model, example):
        self.program, self.graph, self.ranges = program, program.graph, program.range_constraints
        self.nodes = {node.name: node for node in self.graph.nodes if node.op == "placeholder"}
        self.example = example
        self.data, self.weights, self.tables = [], [], []
        self.sort_inputs(model)
        self.outputs = self.returned()
        for node, real in zip(self.outputs, answers(model, example)):
            node.meta["val"] = like(node.meta["val"], real)

    def sort_inputs(self, model):
        """data: of each call; weights: parameters; tables: buffers and tensors that the module keeps as attributes."""
        state = {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers(remove_duplicate=False))}
        place = 0
        for spec in self.program.graph_signature.input_specs:
            kind, name = spec.kind.name, getattr(spec.arg, "name", None)
            if kind == "USER_INPUT":
                if isinstance(self.example[place], torch.Tensor):
                    self.data.append((self.nodes[name], self.example[place], place))
                place += 1
            elif kind == "PARAMETER":
                self.weights.append((self.nodes[name], state[spec.target], spec.target))
            else:
                tensor = state.get(spec.target, self.program.constants.get(spec.target))
                self.tables.append((self.nodes[name], tensor, spec.target))

    def returned(self):
        values = next(node for node in self.graph.nodes if node.op == "output").args[0]
        kinds = [spec.kind.name for spec in self.program.graph_signature.output_specs]
        outputs = [value for value, kind in zip(values, kinds) if kind == "USER_OUTPUT"]
        for value in outputs:
            if not isinstance(value, torch.fx.Node) or not isinstance(value.meta.get("val"), torch.Tensor):
                refuse("output", kind=type(value).__name__)
        return outputs


def answers(model, example):
    """What the module returns for get_inputs' shapes, without memory."""
    with untouched(model), FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        copies = [torch.empty(one.shape, dtype=one.dtype) if isinstance(one, torch.Tensor) else one for one in example]
        return [one for one in torch.utils._pytree.tree_leaves(model(*copies)) if isinstance(one, torch.Tensor)]


def like(told, real):
    """torch.export's shape of an output, in the number of dimensions that it really has: of an LSTM's states torch 2.11 tells one
    of size 1 too many."""
    for place in reversed(range(told.dim())):
        if told.dim() > real.dim() and told.shape[place] == 1 and (place >= real.dim() or real.shape[place] != 1):
            told = told.squeeze(place)
    return told


def fake_inputs(module):
    """What get_inputs returns, without memory, and where its values come from."""
    origins = Origins()
    try:
        with FakeTensorMode(shape_env=ShapeEnv()), origins:
            example = tuple(listed(module, "get_inputs"))
    except Exception as error:
        if hasattr(error, "word"):
            raise
        refuse("unreadable", file="get_inputs", error=error)
    if not any(isinstance(one, torch.Tensor) for one in example):
        refuse("no-inputs", file="the file")
    return example, origins


def free_dimensions(example, most):
    """The first dimensions of each tensor may vary, so many."""
    return tuple({d: torch.export.Dim.AUTO for d in range(min(most, one.dim()))} if isinstance(one, torch.Tensor) else None
                 for one in example)


def export(model, make_inputs):
    """(Exported, origins of its inputs). Dimensions that cannot vary become numbers; where export finds no answer for all, it is
    asked for the first of each tensor alone, the batch, and at last for none: the last failure is told, in numbers."""
    for most in (9, 1, 0):
        example, origins = make_inputs()  # anew: an attempt leaves its symbols behind
        try:
            with untouched(model), torch.no_grad():
                program = torch.export.export(model, example, dynamic_shapes=free_dimensions(example, most), strict=False)
            return Exported(program, model, example), origins
        except Exception as error:
            if hasattr(error, "word"):
                raise
            if most == 0:
                refuse("values" if type(error).__name__ == "GuardOnDataDependentSymNode" else "export", error=error)
