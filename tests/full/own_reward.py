"""examples/own_reward.lua says something: after its fine-tuning and in both arms some answers pass.

usage: own_reward.py HONE_PROGRAM SOURCE_FOLDER"""
import json, pathlib, subprocess, sys, tempfile

hone, source = sys.argv[1], pathlib.Path(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    script = source / "examples/own_reward.lua"
    subprocess.run([hone, "run", script, "--set", "quick=true"], cwd=folder, check=True)
    report = json.loads(subprocess.run([hone, "report", "own-reward", "--json"], cwd=folder, check=True, capture_output=True).stdout)
rows = {row["stage"]: row for row in report["stages"]}
for name in ("SFT", "certain part", "best guess"):
    success = rows[name]["success"]
    print(f"{name}: {success:.1%} of {rows[name]['samples']} passed")
    if not success > 0:
        sys.exit(f"{name}: no answer passed, so the experiment compares nothing")
