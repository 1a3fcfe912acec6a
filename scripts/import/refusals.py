"""Why a module cannot be a task. A refusal is an answer, not a crash: it is kept beside the tasks (imported.json)."""
from places import in_brackets, place_of, told, whole


class Refusal(Exception):
    """word: stable, for programs to group by; the text is for people; trace: of the exception behind it, or empty."""

    def __init__(self, word, text, trace=""):
        super().__init__(text)
        self.word, self.trace = word, trace


# Every refusal that this package makes, by its word. A caller fills in what the braces name.
TEXTS = {
    "unreadable": "{file} cannot be run: {error}",
    "no-model": "{file} has no class Model; a module to import is called Model",
    "no-function": "{file} has no function {name}; it returns {returns}",
    "no-constant": "{file} has no constant {name} at its top level{suggestion}",
    "no-value": "--set {name}={value} is no value: {error}; write it as Python does: --set batch_size=4",
    "no-list": "{name} returns a value of type {kind}; it returns {returns}",
    "no-module": "Model of {file} is no torch.nn.Module",
    "no-inputs": "get_inputs of {file} returns no tensor",
    "constructor": "Model cannot be made with what get_init_inputs returns: {error}",
    "export": "torch.export fails: {error}",
    "values": "forward decides by the values of a tensor{place}; a task has the same operators for all values: use torch.where",
    "operator": "torch.{name} is not known to the import ({schema}); add it to scripts/import/operators.py",
    "random": "torch.{name} draws random numbers; a task gives the same result each time",
    "writes": "torch.{name} writes through a view of another tensor, which has no functional form here; use torch.where or torch.cat",
    "state": "a call changes {name}, which the next call reads; a task is a function of its inputs alone",
    "table": "{name} ({shape}) is a table of numbers that the module made for itself; a task has laws, no tables",
    "dtype": "{name} is of dtype {dtype}, which tasks do not have",
    "size": "the size {size} cannot be written in a task: only N, N+1, 2*N and 2*N+1 can",
    "output": "forward returns a value of type {kind}; a task returns tensors alone",
    "no-size": "no tensor has a dimension; a task needs one",
    "run": "the module fails on inputs of the task: {error}",
}


def refuse(word, **details):
    """error: a text, or the exception that is told with its place."""
    error, trace = details.get("error"), ""
    if isinstance(error, BaseException):
        details |= {"error": told(error), "place": in_brackets(place_of(error))}
        trace = whole(error)
    raise Refusal(word, TEXTS[word].format(**details), trace)
