"""Places in the files of whoever imports: where an exception comes from, where a module decides by its inputs' shapes."""
import os
import traceback

import sympy
import torch

# folders of Python with its packages, of torch, of the import
NOT_THEIRS = tuple(os.path.join(os.path.dirname(os.path.realpath(file)), "") for file in (os.__file__, sympy.__file__, torch.__file__, __file__))


def is_theirs(file):
    """A module's own file, or one beside it that it imports."""
    return not file.startswith("<") and not os.path.realpath(file).startswith(NOT_THEIRS)


def errors_behind(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def place_of(error):
    """Where the exception left a file of theirs: "block.py, line 8, in Model.forward"; empty: nowhere."""
    for one in errors_behind(error):
        frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(one.__traceback__) if is_theirs(frame.f_code.co_filename)]
        if frames:
            code, line = frames[-1]
            name = getattr(code, "co_qualname", code.co_name)  # Python 3.11
            return f"{code.co_filename}, line {line}" + (f", in {name}" if name != "<module>" else "")
    return ""


def first_line(error):
    """Of an exception: torch's texts go on for pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


def in_brackets(place):
    return f" ({place})" if place else ""


def told(error):
    """Its first line and its place."""
    return first_line(error) + in_brackets(place_of(error))


def whole(error):
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def environment_of(graph):
    """torch's book of the shapes' symbols; None: there are none."""
    found = (getattr(getattr(node.meta.get("val"), "fake_mode", None), "shape_env", None) for node in graph.nodes)
    return next((environment for environment in found if environment is not None), None)


def decisions(graph):
    """[(condition, "block.py, line 8")]: what an export has taken for granted of the shapes' symbols because a line of theirs asks."""
    found, environment = [], environment_of(graph)
    for guard in environment.guards if environment else ():
        frame = getattr(getattr(guard, "sloc", None), "framework_loc", None)  # torch 2.7 and later
        condition = guard.expr.subs(environment.replacements)
        if condition.free_symbols and isinstance(frame, traceback.FrameSummary) and is_theirs(frame.filename):
            found.append((condition, f"{frame.filename}, line {frame.lineno}"))
    return found
