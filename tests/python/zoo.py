#!/usr/bin/env python3
"""The zoo of Python programs, on this machine's cores: each gets its verdict.

usage: zoo.py HONE_PROGRAM TORCH_FOLDER C_COMPILER [--open]     exit status: 77 (skipped) where no Python with torch can be had
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "import"))
import lean_torch  # noqa: E402

LEAST_ATTACKS, LEAST_OPEN, LEAST_HONEST = 70, 40, 40


def verdict(hone, environment, task, program, *options):
    done = subprocess.run([hone, "judge", "--suite", HERE / "zoo", task, HERE / program, "--verifier", "python-cpu", "--json", "--quiet", *options],
                          capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)["verdict"] if done.stdout else done.stderr


def remade(hone, environment):
    """A program whose constructor derives something from weights: wrong, and right where it is made anew with each call's."""
    verdicts = [verdict(hone, environment, "linear", "derives.py", "--set", f"verifier.remake={choice}") for choice in ("false", "true")]
    assert verdicts == ["INCORRECT_NUMERICAL", "PASSED"], verdicts


def uncounted_memory(hone, environment):
    """Memory that no limit of a process counts. No attacks of the zoo: with a CUDA driver in its process a program may share memory."""
    for program in ("shares_memory.py", "stacks_memory.py"):
        assert (got := verdict(hone, environment, "mix", program)) == "OUT_OF_MEMORY", (program, got)


def pauses(hone, environment, folder):
    """A first call that has no core for longer than its limit is as one that others keep from it; who works or sleeps longer ends."""
    for pause, expected in (("time.sleep(0.4)", "PASSED"), ("time.sleep(60)", "TIMEOUT"), ("any(time.thread_time() > 30 for _ in iter(int, 1))", "TIMEOUT")):
        program = pathlib.Path(folder) / "pauses.py"
        program.write_text((HERE / "pauses.py").read_text().replace("pause()", pause))
        assert (got := verdict(hone, environment, "mix", program)) == expected, (pause, got)


def main(hone, torch, compiler, *flags):
    with tempfile.TemporaryDirectory(prefix="hone-python-") as folder:
        (pathlib.Path(folder) / "bin").mkdir()
        os.symlink(lean_torch.find(torch, folder, compiler), f"{folder}/bin/python3")
        environment = {**os.environ, "PATH": f"{folder}/bin:" + os.environ["PATH"], "XDG_STATE_HOME": f"{folder}/state"}
        done = subprocess.run([hone, "zoo", HERE / "zoo", "--verifier", "python-cpu", "--json", "--quiet", *flags],
                              capture_output=True, text=True, env=environment)
        remade(hone, environment)
        uncounted_memory(hone, environment)
        pauses(hone, environment, folder)
    zoo = json.loads(done.stdout) if done.stdout else sys.exit(done.stderr)
    for part in ("attacks", "open", "layers", "honest"):
        for row in zoo.get(part, {}).get("rows", []):
            if not row["as_expected"]:
                print(f"{part}: {json.dumps(row)}")
    assert "open" not in zoo or zoo["open"]["total"] >= LEAST_OPEN, "too few attacks win without their defence"
    assert zoo["attacks"]["total"] >= LEAST_ATTACKS and zoo["honest"]["programs"] >= LEAST_HONEST, "too few programs mean nothing"
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
