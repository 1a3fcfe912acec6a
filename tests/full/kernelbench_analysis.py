"""KernelBench's own analysis script, unchanged, reads what `hone export kernelbench` writes, and finds the same numbers.

usage: kernelbench_analysis.py HONE_PROGRAM     HONE_KERNELBENCH: a checkout of KernelBench; without it one is cloned. Exit status 77: skipped.
Packages that the script's package imports and the script does not use (torch, openai, ...) have stand-ins."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

HONE = os.path.abspath(sys.argv[1])
REPOSITORY = "https://github.com/ScalingIntelligence/KernelBench"
PACKAGES = ["pydra-config==0.0.17.post1", "tabulate==0.9.0", "numpy==2.2.6"]
STAND_INS = """import sys
from unittest import mock
for name in ("torch", "torch.distributions", "dotenv", "openai", "litellm", "tqdm"):
    sys.modules[name] = mock.MagicMock()
"""
TASK = """return { name = "%s", statement = "o = max(a, 0)", spec = "%s", inputs = { { name = "a", shape = { "R", "C" } } },
  outputs = { { name = "o", shape = { "R", "C" } } }, shapes = { { R = 256, C = 512 } },
  hidden = { { R = 4, C = 64 }, { R = 12, C = 100 }, { R = 1, C = 31 }, { R = 60, C = 300 } },
  reference = function(a) return %s end }
"""
SCRIPT = """local hone = require "hone"
local run = hone.run { name = "first", seed = 7 }
local parts = { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"), seconds = 0.1 }
local writes = run:policy(function(request)
    local value = request.member == 1 and "x < 0 ? 0 : x" or "x"
    return "```cpp\\nextern \\"C\\" void k(const float* a, float* o, long R, long C) { for (long i = 0; i < R * C; i++) { float x = a[i]; o[i] = "
        .. value .. "; } }\\n```"
end)
run:rollout {
    policy = writes, judge = run:judge(parts), group = 2, stage = "answers",
    prompts = { { task = run:suite("kb")[1], messages = "write" }, { task = run:suite("kb")[2], messages = "write" } },
}
"""


def skip(reason):
    print(f"{reason}; skipped")
    sys.exit(77)


def checkout(folder):
    given = os.environ.get("HONE_KERNELBENCH")
    if given:
        return pathlib.Path(given)
    clone = subprocess.run(["git", "clone", "-q", "--depth", "1", REPOSITORY, folder / "KernelBench"], capture_output=True, text=True)
    return folder / "KernelBench" if clone.returncode == 0 else skip("KernelBench cannot be cloned: name a checkout in HONE_KERNELBENCH")


def python_with_packages(folder):
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv/bin/python"
    done = subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], capture_output=True, text=True)
    return python if done.returncode == 0 else skip(f"{' '.join(PACKAGES)} cannot be installed")


def judge_answers(folder):
    suite = folder / "scripts/suites/kb"
    suite.mkdir(parents=True)
    for name, answer in ("level1_19_ReLU", "torch.relu(a)"), ("level1_20_LeakyReLU", "torch.leaky_relu(a, 0.01)"):
        (suite / f"{name}.lua").write_text(TASK % (name, name, answer))
    (folder / "scripts/answers.lua").write_text(SCRIPT)
    subprocess.run([HONE, "run", "scripts/answers.lua", "--quiet"], cwd=folder, check=True)
    exported = subprocess.run([HONE, "export", "kernelbench", "first", "--out", "kb", "--json"], cwd=folder, check=True,
                              capture_output=True, text=True)
    return json.loads(exported.stdout)["levels"]["1"]


def analyse(folder, benchmark, python):
    (folder / "stand-ins").mkdir()
    (folder / "stand-ins/sitecustomize.py").write_text(STAND_INS)
    names = {"run_name": "first-level1", "level": 1, "hardware": "hone", "baseline": "hone_best",
             "baseline_file": folder / "kb/results/timing/hone/hone_best.json", "eval_results_dir": folder / "kb/runs",
             "output_file": folder / "analysis.json"}
    done = subprocess.run([python, benchmark / "scripts/benchmark_eval_analysis.py", *(f"{k}={v}" for k, v in names.items())], cwd=folder,
                          env=os.environ | {"PYTHONPATH": f"{folder}/stand-ins:{benchmark}/src"}, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    done.check_returncode()
    return json.loads((folder / "analysis.json").read_text())


def same(what, theirs, ours, share=1e-6):
    print(f"{what}: {theirs:.4g} by KernelBench's script, {ours:.4g} by hone")
    if abs(theirs - ours) > share * max(1, abs(ours)):
        sys.exit(f"{what} differs")


def ratio_in_files(folder):
    """Of the one right answer, as the files have it: the quotient of two medians, where the judge takes the median of quotients."""
    answers = json.loads((folder / "kb/runs/first-level1/eval_results.json").read_text())
    baselines = json.loads((folder / "kb/results/timing/hone/hone_best.json").read_text())
    return baselines["level1"]["19_ReLU.py"]["mean"] / answers["19"][0]["runtime"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    benchmark, python = checkout(folder), python_with_packages(folder)
    ours, theirs = judge_answers(folder), analyse(folder, benchmark, python)
    ratio, answered = ratio_in_files(folder), 2
    same("right", theirs["correct_count"], 1)
    same("compiled", theirs["compiled_count"], 2)
    same("geometric mean", theirs["geo_mean_speedup"], ratio)
    same("geometric mean, about", theirs["geo_mean_speedup"], ours["geomean"], share=0.25)
    for threshold, share in theirs["fast_p"].items():
        same(f"fast_{threshold}", share, (ratio > float(threshold)) / answered)
