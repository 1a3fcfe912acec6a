"""A task's definition through torch.compile and back: transcript, package, baseline; and a package of another task's numbers.

usage: compiled_baseline.py HONE_PROGRAM SOURCE_FOLDER
77 (skipped) where there is no Python with torch: HONE_TEST_PYTHON, or the one that runs this."""
import json, os, pathlib, shutil, subprocess, sys, tempfile

hone, source = sys.argv[1], pathlib.Path(sys.argv[2])
python = os.environ.get("HONE_TEST_PYTHON", sys.executable)
if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode:
    print("no Python with torch; skipped")
    sys.exit(77)

TASK = """local function task(name, add)
    return { name = name, statement = "o = gelu(a) sigmoid(a) plus " .. add, spec = name .. " n={N}", inputs = { { name = "a", shape = { "N" } } },
        outputs = { { name = "o", shape = { "N" } } }, shapes = { { N = 65536 } }, hidden = { { N = 77 } },
        reference = function(a) return F.gelu(a, { approximate = "tanh" }) * torch.sigmoid(a) + add end }
end
return { task("one", 1), task("two", 2) }
"""
PROGRAM = """#include <cmath>
extern "C" void k(const float* a, float* o, long N) {
    for (long i = 0; i < N; i++) {
        float x = a[i], t = std::tanh(0.7978845608f * (x + 0.044715f * x * x * x));
        o[i] = 0.5f * x * (1 + t) / (1 + std::exp(-x)) + ADD;
    }
}
"""


def judged(folder, name):
    (folder / "k.cpp").write_text(PROGRAM.replace("ADD", "1.f" if name == "one" else "2.f"))
    done = subprocess.run([hone, "judge", f"{folder}/tasks.lua:{name}", f"{folder}/k.cpp", "--json", "--quiet", "--set", f"reference.compiled={folder}/packages"],
                          capture_output=True, text=True, env={**os.environ, "XDG_STATE_HOME": str(folder)})
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    return json.loads(done.stdout)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    (folder / "tasks.lua").write_text(TASK)
    for name in ("one", "two"):
        assert "baseline_forms" not in judged(folder, name), "a form without a package"
    made = subprocess.run([python, source / "scripts/compile_references.py", folder / "packages"], capture_output=True, text=True)
    print(made.stdout)
    assert made.returncode == 0 and "2 packages made, 0 not" in made.stdout, made.stderr
    forms = judged(folder, "one")["baseline_forms"]
    print(forms)
    assert forms["compiled"] > 0 and forms["eager"] > 0
    one, two = sorted((folder / "packages").glob("*.pt2"))
    assert one.name.startswith("one-") and two.name.startswith("two-")
    shutil.copy(two, one)
    wrong = judged(folder, "one")
    assert wrong["baseline_forms"]["compiled"] is None and wrong["baseline_form"] == "eager", wrong["baseline_forms"]
    print("a package of other numbers is left out")
