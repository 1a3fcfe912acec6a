"""Why a module cannot be a task. A refusal is an answer, not a crash: it is kept beside the tasks (imported.json)."""


class Refusal(Exception):
    """word: stable, for programs to group by; the text is for people."""

    def __init__(self, word, text):
        super().__init__(text)
        self.word = word


# Every refusal that this package makes, by its word. A caller fills in what the braces name.
TEXTS = {
    "unreadable": "{file} cannot be run: {error}",
    "no-model": "{file} has no class Model; a module to import is called Model",
    "no-function": "{file} has no function {name}; it returns {returns}",
    "no-constant": "{file} has no constant {name} at its top level{suggestion}",
    "no-inputs": "get_inputs of {file} returns no tensor",
    "constructor": "Model cannot be made with what get_init_inputs returns: {error}",
    "export": "torch.export fails: {error}",
    "operator": "torch.{name} is not known to the import ({schema}); add it to scripts/import/operators.py",
    "random": "torch.{name} draws random numbers; a task gives the same result each time",
    "writes": "torch.{name} writes through a view of another tensor, which has no functional form here",
    "state": "a call changes {name}, which the next call reads; a task is a function of its inputs alone",
    "table": "{name} ({shape}) is a table of numbers that the module made for itself; a task has laws, no tables",
    "dtype": "{name} is of dtype {dtype}, which tasks do not have",
    "size": "the size {size} cannot be written in a task: only N, N+1, 2*N and 2*N+1 can",
    "output": "forward returns a {kind}; a task returns tensors",
    "no-size": "no tensor has a dimension; a task needs one",
    "run": "the module fails on inputs of the task: {error}",
}


def refuse(word, **details):
    raise Refusal(word, TEXTS[word].format(**details))


def first_line(error):
    """Of an exception: torch's texts go on for pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
