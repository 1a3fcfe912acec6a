# A candidate in KernelBench's form, made and called. Nothing here is out of the candidate's reach, so nothing here is believed:
# truth, inputs and the clock are the bench's.
import linecache
import types

DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool]
PROGRAM, TASK = "candidate.py", "task.py"


class Refused(Exception):
    """A candidate that cannot be called: a verdict and its reason."""


def executed(name, text):
    """A source as a module of its own, whose lines tracebacks and Triton can read."""
    module = types.ModuleType(name.removesuffix(".py"))
    module.__file__ = name
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    sys.modules[module.__name__] = module
    exec(compile(text, name, "exec"), module.__dict__)
    return module


def told(error):
    """An exception in a line, with the line of the program that raised it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PROGRAM]
    if isinstance(error, SyntaxError) and error.filename == PROGRAM:
        lines = [error.lineno]
    where = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {error}".split("\n")[0] + where


class Program:
    """The candidate's module and how a model is made of it, on DEVICE. task: the source that the task was imported from; may be empty."""

    def __init__(self, code, task):
        module = executed(TASK, task) if task else None
        self.arguments = module.get_init_inputs() if task else []
        self.numbers = getattr(module, "hone_numbers", [])  # (place, value): what the import has written into the task
        program = executed(PROGRAM, code)
        if not task and callable(getattr(program, "get_init_inputs", None)):
            self.arguments = program.get_init_inputs()
        if not isinstance(getattr(program, "ModelNew", None), type):
            raise Refused("COMPILE_ERROR", "it has no class ModelNew")
        self.new = program.ModelNew

    def model(self):
        with torch.device(DEVICE):
            given = self.arguments
            # robust-kbench and later files of KernelBench pass a dictionary beside the list; scripts/import/modules.py has the same
            keyed = len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict)
            model = self.new(*given[0], **given[1]) if keyed else self.new(*given)
        if not isinstance(model, torch.nn.Module):
            raise Refused("COMPILE_ERROR", "ModelNew is no torch.nn.Module")
        return model.to(DEVICE)


def label(name):
    """A weight's name as the task has it."""
    return re.sub(r"\W", "_", name).lstrip("_")


def tensors_of(model):
    """Parameters and buffers by their names, each of several names of one; what the module has made of them since they were last looked at."""
    return {name: tensor.data for name, tensor in [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]}


def address_of(tensor):
    """An empty tensor and one without memory of its own (a sparse one) are like no other."""
    try:
        return tensor.data_ptr() or id(tensor)
    except RuntimeError:
        return id(tensor)


def weights_of(model, wanted):
    """The module's name for each (name, shape) of the task's constants: the same, else the next of that shape. a.b_c and a_b.c have
    one label: it says nothing, and their order decides."""
    tensors = tensors_of(model)
    own = {name: list(tensor.shape) or [1] for name, tensor in tensors.items()}  # a task's weights have a dimension
    labels = [label(name) for name in own]
    same = {label(name): name for name in own if labels.count(label(name)) == 1}
    found = {name: same[name] for name, shape in wanted if name in same and own[same[name]] == shape}

    def take(chosen):  # all names of a tensor go with it
        for other in [other for other in own if address_of(tensors[other]) == address_of(tensors[chosen])]:
            del own[other]
        own.pop(chosen, None)

    for name in found.values():
        take(name)
    for name, shape in wanted:
        if name in found:
            continue
        like = next((other for other in own if own[other] == shape), None)
        if like is None:
            raise Refused("LAUNCH_ERROR", f"ModelNew has no parameter or buffer for the weight {name} of shape {shape}")
        found[name] = like
        take(like)
    return [found[name] for name, _ in wanted]


def results_of(returned, outputs):
    """What forward returned, as a list that fits the outputs: a dictionary or lists within lists in the order of the import (exporting.py)."""
    results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if not all(isinstance(one, torch.Tensor) for one in results):  # to ask always would cost microseconds of a call's time
        results = torch.utils._pytree.tree_leaves(returned)
    if len(results) != len(outputs):
        raise Refused("INCORRECT_SHAPE", f"forward returned {len(results)} values, the task has {len(outputs)}")
    for result, output in zip(results, outputs):
        if type(result) not in (torch.Tensor, torch.nn.Parameter):
            raise Refused("RUNTIME_ERROR", f"forward returned a {type(result).__name__}, not a torch.Tensor")
        if result.shape != output.shape:
            raise Refused("INCORRECT_SHAPE", f"forward returned the shape {list(result.shape)}, the task has {list(output.shape)}")
        if result.dtype != output.dtype or result.device != output.device:
            raise Refused("RUNTIME_ERROR", f"forward returned {result.dtype} on {result.device}, the task has {output.dtype} "
                          f"on {output.device}")
    return results
