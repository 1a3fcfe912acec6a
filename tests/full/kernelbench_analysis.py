"""KernelBench's own analysis script, unchanged, reads what `hone export kernelbench` writes, and every figure
that it prints is what hone says: of one answer to each problem, and of two (of which it counts the first, but for pass@k).

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
# name: seconds of the reference, a first and a second answer. On the fake device time is virtual, so every ratio is exact: a right program "7 2 N" is
# 1 / (1 + |N - 2| / 4) times as fast as one of 5e-5 seconds.
PROBLEMS = {
    "level1_19_ReLU": (2e-4, "7 2 2", "1 2 2"),  # 4x
    "level1_20_LeakyReLU": (8e-5, "7 2 2", "7 2 3"),  # 1.6x
    "level1_21_Sigmoid": (8e-5, "7 2 3", "no program"),  # 1.28x
    "level1_22_Tanh": (8e-5, "7 2 5", "7 2 2 crash"),  # 0.91x
    "level1_23_Softmax": (8e-5, "7 2 8", "7 2 8"),  # 0.64x
    "level1_24_LogSoftmax": (8e-5, "7 2 12", "1 2 2"),  # 0.46x
    "level1_25_Swish": (8e-5, "1 2 2", "7 2 2"),  # wrong numbers
    "level1_26_GELU_": (8e-5, "no program", "7 2 2"),  # no program
    "level1_27_SELU_": (8e-5, "7 2 2 crash", "1 2 2"),  # never right: its reference was not timed
}
RIGHT, COMPILED = 6, 8  # of the first answers
TASK = """return { name = "%s", statement = "o = a a", spec = "square {N}", inputs = { { name = "a", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } }, shapes = { { N = 300 } }, hidden = { { N = 7 } },
  verifier = "fake", device = { op = "square", code = 7, best = { 2, 2 }, seconds = 5e-5, reference = %g },
  reference = function(a) return array.map(function(x) return x * x end, a) end }
"""
SCRIPT = """local hone = require "hone"
local answers = { %s }
local function ask(name, group)
    local run = hone.run { name = name, seed = 7 }
    local prompts = {}
    for i, task in ipairs(run:suite "kb") do prompts[i] = { task = task, messages = "write" } end
    run:rollout {
        policy = run:policy(function(request) return "```fake\\n" .. answers[request.task.name][request.member] .. "\\n```" end),
        judge = run:judge { verifier = run:verifier "fake", timer = run:timer "virtual", reference = run:reference "lua", seed = "7" },
        prompts = prompts, group = group, stage = "answers",
    }
end
ask("single", 1)
ask("double", 2)
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
    for name, (reference, *_) in PROBLEMS.items():
        (suite / f"{name}.lua").write_text(TASK % (name, reference))
    answers = (f'["{name}"] = {{ "{first}", "{second}" }}' for name, (_, first, second) in PROBLEMS.items())
    (folder / "scripts/answers.lua").write_text(SCRIPT % ", ".join(answers))
    subprocess.run([HONE, "run", "scripts/answers.lua", "--quiet"], cwd=folder, check=True)


def scores(folder, run):
    """What hone says of a run; its files are written, too."""
    exported = subprocess.run([HONE, "export", "kernelbench", run, "--out", "kb", "--json"], cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(exported.stdout)["levels"]["1"]


def analyse(folder, benchmark, python, run):
    (folder / "stand-ins").mkdir(exist_ok=True)
    (folder / "stand-ins/sitecustomize.py").write_text(STAND_INS)
    names = {"run_name": f"{run}-level1", "level": 1, "hardware": "hone", "baseline": "hone_best",
             "baseline_file": folder / "kb/results/timing/hone/hone_best.json", "eval_results_dir": folder / "kb/runs",
             "output_file": folder / "analysis.json"}
    done = subprocess.run([python, benchmark / "scripts/benchmark_eval_analysis.py", *(f"{k}={v}" for k, v in names.items())], cwd=folder,
                          env=os.environ | {"PYTHONPATH": f"{folder}/stand-ins:{benchmark}/src"}, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    done.check_returncode()
    figures = json.loads((folder / "analysis.json").read_text())
    return {what: value for what, value in figures.items() if what not in ("run_name", "level", "hardware", "total_count")}, figures["total_count"]


def expected(first, all_answers, total):
    """KernelBench's figures by hone's scores: shares of `total` problems, of first answers; pass@k of all answers."""
    problems, answers = first["problems"], all_answers["answers"]
    compiled, correct = first["compiled"] * problems, first["correct"] * problems
    return {
        "total_eval": problems, "compiled_count": compiled, "correct_count": correct,
        "compilation_rate": compiled / total, "correctness_rate": correct / total,
        "geo_mean_speedup": first["geomean"], "fast_p": {str(float(p)): share for p, share in first["fast"].items()},
        "pass_at_k": {
            "metadata": {"total_problems": problems, "problems_with_samples": problems, "total_evaluated_samples": answers,
                         "total_correct_samples": all_answers["correct"] * answers},
            "averages": {f"avg_pass@{k}": share for k, share in all_answers["pass"].items()},
        },
    }


def same(what, theirs, ours):
    if isinstance(theirs, dict) or isinstance(ours, dict):
        if set(theirs) != set(ours):
            sys.exit(f"{what}: {sorted(theirs)}, and {sorted(ours)} by hone")
        for key in theirs:
            same(f"{what} {key}".strip(), theirs[key], ours[key])
        return
    print(f"{what}: {theirs:.6g}, and {ours:.6g} by hone")
    if abs(theirs - ours) > 1e-6 * max(1, abs(ours)):
        sys.exit(f"{what} differs")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    benchmark, python = checkout(folder), python_with_packages(folder)
    judge_answers(folder)
    single = scores(folder, "single")
    same("by hand", {"right": RIGHT, "compiled": COMPILED, "fast_1": 3 / len(PROBLEMS)},
         {"right": single["correct"] * len(PROBLEMS), "compiled": single["compiled"] * len(PROBLEMS), "fast_1": single["fast"]["1"]})
    for run in "single", "double":
        ours = scores(folder, run)
        theirs, total = analyse(folder, benchmark, python, run)
        same("problems of the level", total, len(list((benchmark / "KernelBench/level1").glob("*.py"))))
        same(run, theirs, expected(single, ours, total))
