#!/usr/bin/env python3
"""Makes tasks of modules of Python's torch, for `hone import`, which starts this program and asks it in frames (engine/base/frames.hpp):

  {type: "import", file: PATH, name: TASK, origin: SHOWN, set: {NAME: VALUE}}   the module at hand becomes that of the file
      -> {task: TEXT, notes: [..], operators: [..]} or {refused: WORD, reason: TEXT, trace: TEXT}
  {type: "run", inputs: [{file: PATH, shape: [..]}], folder: PATH}              its answers to the task's inputs, in float64
      -> {outputs: [PATH]} or {refused: ..}
  {type: "text", flaw: TEXT}                                                    the task once more, marked
      -> {task: TEXT}
Before anything is asked: {torch: VERSION} or {missing: REASON}."""
import json
import os
import struct
import sys
import warnings


def answer(request, state):
    from importing import Imported
    if request["type"] == "import":
        state.clear()  # a large module's memory goes before the next one's comes
        state["at hand"] = made = Imported(request["file"], request["name"], request["origin"], request["set"])
        return {"task": made.text.text(), "notes": made.notes, "operators": made.operators}
    if request["type"] == "run":
        return {"outputs": state["at hand"].run(request["inputs"], request["folder"])}
    return {"task": state["at hand"].text.text(request["flaw"])}


def answer_or_refusal(request, state):
    from places import told, whole
    from refusals import Refusal
    try:
        return answer(request, state)
    except Refusal as refusal:
        return {"refused": refusal.word, "reason": str(refusal), "trace": refusal.trace}
    except Exception as error:  # a module may do anything: it must not end the import of those after it
        return {"refused": "failed", "reason": told(error), "trace": whole(error)}


def requests():
    """Headers of frames, until there are no more. A blob is never sent."""
    while len(prefix := sys.stdin.buffer.read(8)) == 8:
        yield json.loads(sys.stdin.buffer.read(struct.unpack("<II", prefix)[0]))


def main():
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what modules print is talk

    def reply(document):
        text = json.dumps(document).encode()
        replies.write(struct.pack("<II", len(text), 0) + text)
        replies.flush()

    warnings.filterwarnings("ignore")
    try:
        import torch
    except ImportError as error:
        return reply({"type": "hello", "missing": str(error)})
    reply({"type": "hello", "torch": torch.__version__})
    state = {}
    for request in requests():
        reply({"type": "reply", **answer_or_refusal(request, state)})


if __name__ == "__main__":
    main()
