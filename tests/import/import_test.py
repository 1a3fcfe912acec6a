#!/usr/bin/env python3
"""`hone import` on modules of our own: what becomes of each, to the letter; what is imported is judged.

usage: import_test.py HONE_PROGRAM TORCH_FOLDER C_COMPILER     exit status: 77 (skipped) where no Python with torch can be had
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import lean_torch

HONE, TORCH, COMPILER = sys.argv[1:4]
MODULES = pathlib.Path(__file__).parent / "modules"
BIAS = "ignored: taking input \"first_bias\" to be zero passes"
# name: status and reason, or how a longer reason begins
EXPECTED = {
    "perceptron": ("agrees", ""),
    "recurrent": ("agrees", ""),
    "causal": ("agrees", ""),
    "classes": ("agrees", ""),
    "inference": ("agrees", ""),
    "remembers": ("agrees", ""),
    "tied": ("agrees", ""),
    "keyed": ("agrees", ""),
    "numbered": ("agrees", ""),
    "looks_up": ("agrees", ""),
    "looks_up_as_many": ("agrees", ""),
    "attends": ("agrees", ""),
    "hides_some": ("agrees", ""),
    "casts": ("agrees", ""),
    "applies_from_the_left": ("agrees", ""),
    "residual": ("flawed", BIAS),  # the norm behind it takes it away again: the linter is right
    "flawed": ("flawed", "zeros: writing zeros passes"),
    "exports_otherwise": ("differs", "output \"o\" differs from the module's at B = 64, N = 3"),
    "decides": ("agrees", ""),
    "decides_for_one": ("differs", "output \"o\" differs from the module's at B = 1, N = 1, and agrees at B = 6, N = 40: forward likely branches on a shape, "
                        "of which an export keeps one branch; write a Model that has this branch alone"),
    "fails": ("refused", "torch.export fails: RuntimeError: a and b must have same reduction dim, but got [4, 4] X [5, 3]. (level1/fails.py, line 11, "
              "in Model.forward)"),
    "no_model": ("refused", "level1/no_model.py has no class Model; a module to import is called Model"),
    "no_inputs": ("refused", "level1/no_inputs.py has no function get_inputs; it returns the list of arguments of forward"),
    "unreadable": ("refused", "level1/unreadable.py cannot be run: ModuleNotFoundError: No module named 'a_package_that_nobody_has' "
                   "(level1/unreadable.py, line 1)"),
    "unknown_operator": ("refused", "torch.twice is not known to the import (hone_test::twice(Tensor x) -> Tensor); "
                         "add it to scripts/import/operators.py"),
    "looks_at_values": ("refused", "forward decides by the values of a tensor (level1/looks_at_values.py, line 7, in Model.forward); "
                        "a task has the same operators for all values: use torch.where"),
    "signed": ("agrees", ""),
    "written_out": ("agrees", ""),
    "masks": ("agrees", ""),
    "sums_some": ("agrees", ""),
    "scaled_by_size": ("agrees", ""),
    "nested": ("agrees", ""),
    "drops": ("agrees", ""),
    "draws": ("refused", "torch.rand_like draws random numbers; a task gives the same result each time"),
    "counts": ("refused", "a call changes n, which the next call reads; a task is a function of its inputs alone"),
    "grows": ("refused", "a call changes part.seen, which the next call reads; a task is a function of its inputs alone"),
    "counts_for_all": ("refused", "a call changes CALLS, which the next call reads; a task is a function of its inputs alone"),
    "remembers_last": ("refused", "a call changes last, which the next call reads; a task is a function of its inputs alone"),
    "keeps_record": ("agrees", ""),
    "keeps_state": ("refused", "a call changes b_total, which the next call reads; a task is a function of its inputs alone"),
}
MODULE = """import torch
class Model({base}):
    def forward(self, x):
        return {result}
def get_inputs():
    return {inputs}
def get_init_inputs():
    return {arguments}
"""
RIGHT = {"base": "torch.nn.Module", "result": "x", "inputs": "[torch.rand(4)]", "arguments": "[]"}
# text of a file that a newcomer may write, and the reason of its refusal
WRONG = {
    MODULE.format(**RIGHT | {"base": "object"}): "Model of wrong.py is no torch.nn.Module",
    MODULE.format(**RIGHT | {"inputs": "torch.rand(4)"}): "get_inputs returns a value of type Tensor; it returns the list of arguments of forward",
    MODULE.format(**RIGHT | {"arguments": "None"}): "get_init_inputs returns a value of type NoneType; it returns the list of arguments of Model",
    MODULE.format(**RIGHT | {"arguments": "[nothing]"}): "Model cannot be made with what get_init_inputs returns: NameError: name 'nothing' is not defined "
                                                         "(wrong.py, line 8, in get_init_inputs)",
    MODULE.format(**RIGHT | {"inputs": "[nothing]"}): "get_inputs cannot be run: NameError: name 'nothing' is not defined (wrong.py, line 6, in get_inputs)",
    MODULE.format(**RIGHT | {"result": "{'a': x, 'b': 3}"}): "forward returns a value of type int; a task returns tensors alone",
    "class Model(": "wrong.py cannot be run: SyntaxError: '(' was never closed (wrong.py, line 1)",
    "": "wrong.py has no class Model; a module to import is called Model",
    "import os\nos._exit(3)\n": "Python ended with status 3 while the module was read; does the file leave Python (os._exit)?",
    b"\xff\xfe": "wrong.py cannot be run: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
}
KERNEL = """#include <vector>
extern "C" void k(const float* x, const float* w, const float* b, const float* v, const float* c, float* o, long B) {
    for (long i = 0; i < B; i++) {
        float h[48];
        for (int j = 0; j < 48; j++) {
            float s = b[j];
            for (int n = 0; n < 24; n++) s += x[i * 24 + n] * w[j * 24 + n];
            h[j] = s > 0 || s != s ? s : 0;
        }
        for (int j = 0; j < 12; j++) {
            float s = c[j];
            for (int n = 0; n < 48; n++) s += h[n] * v[j * 48 + n];
            o[i * 12 + j] = s;
        }
    }
}
"""


def hone(*words):
    done = subprocess.run([HONE, *map(str, words), "--quiet"], capture_output=True, text=True,
                          env={**os.environ, "XDG_STATE_HOME": str(FOLDER / "state"), "OMP_NUM_THREADS": "1"})
    return done.returncode, done.stdout, done.stderr


def check(condition, what):
    if not condition:
        FAULTS.append(what)
        print(f"not as expected: {what}")


def told(words, code, text):
    """A wrong command line, and what is said of it."""
    got, _, said = hone("import", *words)
    said = said.replace(str(FOLDER), "FOLDER")
    check((got, said) == (code, f"hone: {text}\n"), f"{words}: {got}, {said}")


def imports(python):
    bench, out = FOLDER / "bench", FOLDER / "out"
    (bench / "level1").mkdir(parents=True)
    for name in EXPECTED:
        shutil.copy(MODULES / f"{name}.py", bench / "level1")
    code, document, said = hone("import", "kernelbench", bench, "--out", out, "--python", python, "--json")
    check(code == 1, f"exit code {code}: {said}")
    rows = json.loads(document)["tasks"]
    for row in rows:
        status, reason = EXPECTED[row["name"].removeprefix("level1_")]
        check(row["status"] == status and row["reason"].startswith(reason) and bool(reason) == bool(row["reason"]),
              f"{row['name']}: {row['status']}, {row['reason']}")
        if status == "agrees":
            check(row["error"] < 1e-6 and row["linted"] and row["shapes"], f"{row['name']}: {row}")
    check(json.loads((out / "imported.json").read_text())["tasks"] == sorted(rows, key=lambda r: r["name"]), "imported.json")
    refused = sum(row["status"] == "refused" for row in rows)
    check(refused and hone("tasks", out)[1].endswith(f"{refused} modules were refused by the import, and have no task here: the reasons are in "
                                                     f"{out}/imported.json\n"), "refused modules beside the list of tasks")
    # what is there is not done again: no interpreter is asked
    code, again, _ = hone("import", "kernelbench", bench, "--out", out, "--python", "/no/such/program", "--json")
    check(code == 1 and json.loads(again)["tasks"] == rows, "a second import")
    return bench, out


def explained(out):
    """What a reader of the suite is told beside the reasons."""
    decides = (out / "level1_decides.lua").read_text()
    check("Forward decides by its inputs' shapes (level1/decides.py, line 7: B > 4): the task is what it does at those of get_inputs." in decides, decides)
    check("ranges = { B = { 5, 24 } }" in decides, decides)
    trace = (out / "level1_fails.traceback.txt").read_text()
    check("line 11, in forward" in trace and trace.endswith("but got [4, 4] X [5, 3].\n"), trace)
    check(not (out / "level1_decides.traceback.txt").exists(), "a traceback of what is well")


def wrong_files(python):
    file, out = FOLDER / "wrong.py", FOLDER / "wrongs"
    for text, reason in WRONG.items():
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        code, document, said = hone("import", "module", file, "--out", out, "--python", python, "--json", "--no-lint")
        row = json.loads(document)["tasks"][0] if document else {"reason": said}
        check(code == 1 and row["reason"] == reason, f"{text}: {row}")
    code, shown, _ = hone("import", "module", file, "--out", out, "--python", python)
    check(code == 1 and shown == f"refused   wrong\n          {row['reason']}\n          traceback: {out}/wrong.traceback.txt\n"
          f"1 modules: 1 refused; {out}/imported.json\n", shown)


ALIKE = """import re, sys, torch, traceback
space = {"torch": torch, "re": re, "sys": sys, "traceback": traceback, "DEVICE": "cpu"}
exec(open(sys.argv[1]).read(), space)
model = torch.nn.Module()
model.attn = torch.nn.Module()
model.attn.norm, model.attn_norm = torch.nn.LayerNorm(8), torch.nn.LayerNorm(8)
names = ["attn_norm_weight", "attn_norm_bias", "attn_norm_weight_1", "attn_norm_bias_1"]
print(*space["weights_of"](model, [(name, [8]) for name in names]))
"""


def weights_alike(python):
    """attn.norm.weight and attn_norm.weight have one label: their order decides which is which."""
    runner = MODULES.parents[2] / "plugins/verifier_python/runner/module.py"
    done = subprocess.run([python, "-c", ALIKE, runner], capture_output=True, text=True)
    check(done.stdout == "attn.norm.weight attn.norm.bias attn_norm.weight attn_norm.bias\n", done.stdout + done.stderr)


NESTED = """import re, sys, torch, traceback
space = {"torch": torch, "re": re, "sys": sys, "traceback": traceback, "DEVICE": "cpu"}
exec(open(sys.argv[1]).read(), space)
a, b, c = torch.zeros(1), torch.zeros(2), torch.zeros(3)
for returned, outputs in ((a, [a]), ([a, b], [a, b]), ({"z": a, "b": (b, [c])}, [a, b, c]), ({"z": a}, [a, b])):
    try:
        results = space["results_of"](returned, outputs)
        print(all(map(lambda one, other: one is other, results, outputs)))
    except space["Refused"] as refusal:
        print(refusal.args[1])
"""


def results_nested(python):
    """A program returns what its module does, be it a dictionary; its values are the task's outputs in their order."""
    runner = MODULES.parents[2] / "plugins/verifier_python/runner/module.py"
    done = subprocess.run([python, "-c", NESTED, runner], capture_output=True, text=True)
    check(done.stdout == "True\nTrue\nTrue\nforward returned 1 values, the task has 2\n", done.stdout + done.stderr)


def named_beyond_ascii(python):
    """A note names the file in Lua's own form of a string."""
    shutil.copy(MODULES / "decides.py", FOLDER / "gr\u00f6\u00dfe.py")
    code, shown, said = hone("import", "module", FOLDER / "gr\u00f6\u00dfe.py", "--out", FOLDER / "beyond", "--python", python, "--no-lint")
    check(code == 0 and "inputs' shapes (gr\u00f6\u00dfe.py, line 7: B > 4)" in (FOLDER / "beyond/gr_e.lua").read_text(), shown + said)


def goes_on(python):
    """The commands that an import prints can be typed as they are, and a name alone is answered with what to type."""
    out = FOLDER / "a suite"
    code, shown, said = hone("import", "module", MODULES / "causal.py", "--out", out, "--python", python, "--no-lint")
    lines = shown.splitlines()
    check(code == 0 and lines[-2:] == [f"next      hone tasks '{out}/causal'", f"          hone judge '{out}/causal' PROGRAM"], shown + said)
    code, shown, said = hone(*shlex.split(lines[-2])[2:])
    check(code == 0 and "causal" in shown, shown + said)
    suites = FOLDER / "scripts/suites"
    suites.mkdir(parents=True)
    shutil.copytree(out, suites / "mine")
    os.environ["HONE_SCRIPT_PATH"] = str(FOLDER / "scripts")
    (FOLDER / "causal.py").write_text("class ModelNew: pass\n")
    for words, text in [(["judge", "causal", FOLDER / "k.cpp"], "suite \"cpu-basics\": no task \"causal\"; write mine/causal"),
                        (["judge", "causal", FOLDER / "causal.py"], f"judge: no suite is known for \"causal\": {FOLDER}/causal.py suggests none; "
                         "write mine/causal; or name the suite: --suite NAME"),
                        (["judge", "mine/casual", FOLDER / "k.cpp"], "suite \"mine\": no task \"casual\"; did you mean \"causal\"?; "
                         "`hone tasks mine` lists them")]:
        code, _, said = hone(*words)
        check(said == f"hone: {text}\n", f"{words}: {said}")
    told(["module", FOLDER / "causal.py", "--out", out, "--python", python], 2, f"import: FOLDER/a suite holds a task "
         f"\"causal\" of another file, {MODULES.absolute() / 'causal.py'}; rename one of the files, import into another folder (--out DIR), "
         "or remove FOLDER/a suite/causal.lua")
    code, _, said = hone("judge", "mime/causal", FOLDER / "k.cpp")
    check("did you mean \"mine\"? (suites: cpu-basics, fake, gpu-basics, mine); no folder ./mime, " in said and f"{suites}/mime" in said
          and said.endswith("; a suite elsewhere is named by its folder\n"), said)
    del os.environ["HONE_SCRIPT_PATH"]


def released(python):
    """Modules with programs beside them, as CUDA-L1 has them: JSON lines."""
    rows = [{"level_id": 2, "task_id": 7, "ref_code": (MODULES / "perceptron.py").read_text(), "custom_code": "class ModelNew: pass"},
            {"level_id": 1, "task_id": 30, "ref_code": (MODULES / "causal.py").read_text(), "custom_code": None}]
    file, out = FOLDER / "released.json", FOLDER / "released"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, document, said = hone("import", "cuda-l1", file, "--out", out, "--python", python, "--json", "--no-lint")
    check(code == 0 and [row["name"] for row in json.loads(document)["tasks"]] == ["level1_30", "level2_7"], document + said)
    check((out / "programs/level2_7.py").read_text() == "class ModelNew: pass" and not (out / "programs/level1_30.py").exists(), "programs")
    code, document, said = hone("import", "cuda-l1", file, "--out", out, "--only", "2/7", "--json", "--no-lint")
    check(code == 0 and len(json.loads(document)["tasks"]) == 1, document + said)
    file.write_text(file.read_text().replace("class ModelNew", "class Other"))
    hone("import", "cuda-l1", file, "--out", out, "--only", "2/7", "--no-lint")
    check(not (out / "programs/level2_7.py").exists(), "a program that its row no longer holds")
    file.write_text("{\"level_id\": 1}\n")
    told(["cuda-l1", file, "--out", out], 3, "FOLDER/released.json:1: is no released program: level_id and task_id (numbers) or ref_code (a text) is missing; "
         "name a file of released programs, as CUDA-L1 has them: a JSON object a line")
    file.write_text("{\"level_id\": 1\n")
    told(["cuda-l1", file, "--out", FOLDER / "broken"], 3, "FOLDER/released.json:1: is no JSON; name a file of released programs, as CUDA-L1 has them: a JSON "
         "object a line")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows + rows[:1]))
    told(["cuda-l1", file, "--out", FOLDER / "broken"], 3, "FOLDER/released.json:3: is a second program for task 2/7, after line 1; keep one a task; import the "
         "others from files of their own, with another --out")
    check(not (FOLDER / "broken").exists(), "a folder of nothing")


def texts(out):
    text = (out / "level1_perceptron.lua").read_text()
    check("local relu = torch.relu(linear)" in text and "dropout is" not in text.split("reference =")[1], text)
    for name in ("perceptron", "drops"):
        check("Dropout is left out: it draws random numbers." in (out / f"level1_{name}.lua").read_text(), f"a note on dropout in {name}")
    causal = (out / "level1_causal.lua").read_text()
    check("N = { 1, 64 }" in causal and "torch.tril(" in causal, causal)
    check("shape = { \"B\", 8 }" in (out / "level1_scaled_by_size.lua").read_text(), "one size is a number, the other stays open")
    check("law = \"index(N)\"" in (out / "level1_classes.lua").read_text(), "a law of a size")
    written = json.loads((out / "imported.json").read_text())["tasks"]
    notes = next(row["notes"] for row in written if row["name"] == "level1_written_out")
    check(any(note.startswith("input x has the law normal(") and note.endswith(", whatever structure get_inputs gives its values") for note in notes), f"notes: {notes}")
    attends = (out / "level1_attends.lua").read_text()
    check(re.search(r"name = \"k\", shape = (\{.*?\})", attends)[1] == re.search(r"name = \"v\", shape = (\{.*?\})", attends)[1], attends)
    check("law = \"index(16)\"" in (out / "level1_looks_up_as_many.lua").read_text(), "a table's rows are no size of the call's")
    casts = (out / "level1_casts.lua").read_text()
    check(all(text in casts for text in ("dtype = \"bool\", shape = { \"B\", \"N\" }, law = \"index(2)\"", "law = \"index(9)\"", "law = \"uniform(",
                                         "torch.to(picked, { dtype = ")) and "law = \"uniform(0.5" not in casts, casts)
    check("law = \"uniform(0.1)\"" in (out / "level1_applies_from_the_left.lua").read_text(), "deviation 1 / sqrt(300)")
    residual = (out / "level1_residual.lua").read_text()
    check("nil, nil, true, 0.1" in residual and "  role = \"flawed\"," in residual, residual)
    inference = (out / "level1_inference.lua").read_text()
    check("norm_running_var, false" in inference and "strict = true" in inference, inference)
    check(re.search(r"reference = function\(x\S*", text) is not None, "a reference")


def judged(out):
    (FOLDER / "k.cpp").write_text(KERNEL)
    passes(out / "level1_perceptron.lua", FOLDER / "k.cpp", "--set", "judge.seconds=2")


def passes(task, program, *words):
    for _ in range(3):  # a busy machine may lose a timing
        code, document, said = hone("judge", task, program, "--json", *words)
        verdict = json.loads(document).get("verdict") if document else None
        if verdict != "INFRASTRUCTURE":
            break
    check(verdict == "PASSED", f"judged: {document[:600]} {said}")


def judged_in_python(name, out, python):
    """The module's own text as a program: it gets the number that the import wrote into the task, and its one weight has two names (tied); its constructor
    gets arguments by name (keyed); a weight is one number (numbered); it returns a dictionary with a tuple (nested)."""
    program = FOLDER / f"{name}.py"
    program.write_text((MODULES / f"{name}.py").read_text().replace("class Model(", "class ModelNew("))
    passes(out / f"level1_{name}.lua", program, "--verifier", "python-cpu", "--set", f"verifier.python={python}", "--set", "judge.seconds=2")


def sizes(bench, python):
    one = MODULES / "perceptron.py"
    code, document, said = hone("import", "module", one, "--out", FOLDER / "small", "--python", python, "--set", "rows=64", "--json", "--no-lint")
    check(code == 0 and json.loads(document)["tasks"][0]["shapes"] == ["B = 64", "B = 1", "B = 33"], document + said)
    code, document, said = hone("import", "module", one, "--out", FOLDER / "small", "--python", python, "--set", "row=64", "--json")
    check(code == 1 and json.loads(document)["tasks"][0]["reason"] == "perceptron.py has no constant row at its top level (did you mean rows?); "
          "the task of an earlier import stays", document + said)
    for value, fault in (("abc", "NameError: name 'abc' is not defined"), ("4)", "SyntaxError: unmatched ')'")):
        code, document, said = hone("import", "module", one, "--out", FOLDER / "small", "--python", python, "--set", f"rows={value}", "--json")
        check(code == 1 and json.loads(document)["tasks"][0]["reason"] == f"--set rows={value} is no value: {fault}; write it as Python does: "
              "--set batch_size=4; the task of an earlier import stays", document + said)
    check("shapes = { { B = 64 } }" in (FOLDER / "small/perceptron.lua").read_text(), "the task of an earlier import stays")
    for name, text in (("told", "B: int = 16\n"), ("two", "A, B = 4, 16\n")):
        (FOLDER / f"{name}.py").write_text(text + MODULE.format(**RIGHT | {"inputs": "[torch.rand(B, 3)]"}).replace("return x", "return x + 1"))
        hone("import", "module", FOLDER / f"{name}.py", "--out", FOLDER / "small", "--python", python, "--set", "B=6", "--no-lint")
        check("B = 6, N = 3" in (FOLDER / f"small/{name}.lua").read_text(), f"{text} with --set B=6")
    together = FOLDER / "together.py"
    together.write_text("C = D = 16\n" + MODULE.format(**RIGHT | {"inputs": "[torch.rand(C, D)]"}).replace("return x", "return x + 1"))
    hone("import", "module", together, "--out", FOLDER / "small", "--python", python, "--set", "C=6", "--no-lint")
    text = (FOLDER / "small/together.lua").read_text()
    check("B = 6, N = 16" in text, f"a size of two names, of which one is set: {text}")


def wrong_words(bench):
    cure = "install torch there, or name a Python that has it: --python PROGRAM"
    bare = FOLDER / "bare"
    bare.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S \"$@\"\n")
    bare.chmod(0o755)
    one = ["module", MODULES / "causal.py", "--out", FOLDER / "none", "--python"]
    told([*one, bare], 4, f"FOLDER/bare: has no torch (No module named 'torch'); {cure}")
    told([*one, "/no/such/program"], 4, f"/no/such/program: cannot be used: it is no program; {cure}")
    told(["kernelbnch", bench], 2, "import: \"kernelbnch\" cannot be imported; did you mean \"kernelbench\"? (kinds: kernelbench, cuda-l1, module)")
    told(["module", FOLDER / "none.py"], 3, "FOLDER/none.py: is no file; name a file that has a class Model")
    told(["kernelbench", FOLDER / "nowhere"], 3, "FOLDER/nowhere: is no folder; name a folder of KernelBench, or `hone import module FILE`")
    told(["kernelbench", FOLDER / "bench/level1"], 3, "FOLDER/bench/level1: holds no level1/*.py; name a folder of KernelBench, or `hone import module FILE`")
    told(["kernelbench", bench, "--level", "4"], 2, "import: --level: there is no level \"4\"")
    told(["kernelbench", bench, "--only", "level1_casual"], 2,
         "import: --only: no task \"level1_casual\"; did you mean \"level1_causal\"?; names are like \"level1_applies_from_the_left\" or \"1/19\" (level and number)")
    told(["kernelbench", bench, "--set", "rows"], 2, "import: --set \"rows\" is no NAME=VALUE; write --set batch_size=4")
    (FOLDER / "other").mkdir()
    (FOLDER / "other/imported.json").write_text("{}")
    told(["kernelbench", bench, "--out", FOLDER / "other"], 3, "FOLDER/other/imported.json: is no record of an import (hone.imported/1); "
         "move it away, or import into another folder: --out DIR")


def doctor(interpreter):
    """Tells whether programs in Python can be judged; a machine without is fit all the same."""
    (FOLDER / "bin").mkdir()
    command, path = FOLDER / "bin/python3", os.environ["PATH"]
    os.environ["PATH"] = f"{FOLDER}/bin:{path}"
    for target, state in ((FOLDER / "bare", "has no torch"), (interpreter, "has torch")):
        command.write_text(f"#!/bin/sh\nexec {target} \"$@\"\n")
        command.chmod(0o755)
        code, document, said = hone("doctor", "--json")
        found = next(row for row in json.loads(document)["findings"] if row["what"] == "verifier python-cpu")
        check(code == 0 and found["state"] == f"{command} {state}" and found["fine"] == (state == "has torch"), f"{found} {said}")
        check(found["fine"] or found["cure"] == "install torch there, or name a Python that has torch: --set verifier.python=PROGRAM, and for `hone import` "
              "--python PROGRAM", found)
    os.environ["PATH"] = path


def without_gpu():
    """The script of released programs says at once that it needs a GPU."""
    if any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg"))):
        return
    script = pathlib.Path(__file__).parents[2] / "scripts/released.lua"
    code, _, said = hone("run", script, "--set", "folder=none")
    check(code != 0 and "no NVIDIA GPU is here (no /dev/nvidiactl)" in said and "--set verifier=python-cpu" in said, said)


FAULTS = []
with tempfile.TemporaryDirectory() as temporary:
    FOLDER = pathlib.Path(temporary)
    (FOLDER / "lean").mkdir()
    interpreter = lean_torch.find(TORCH, FOLDER / "lean", COMPILER)
    bench_folder, out_folder = imports(interpreter)
    texts(out_folder)
    explained(out_folder)
    wrong_files(interpreter)
    released(interpreter)
    judged(out_folder)
    weights_alike(interpreter)
    results_nested(interpreter)
    named_beyond_ascii(interpreter)
    goes_on(interpreter)
    for module in ("tied", "keyed", "numbered", "nested"):
        judged_in_python(module, out_folder, interpreter)
    sizes(bench_folder, interpreter)
    wrong_words(bench_folder)
    doctor(interpreter)
    without_gpu()
print(f"{len(EXPECTED)} modules, {len(FAULTS)} faults")
sys.exit(1 if FAULTS else 0)
