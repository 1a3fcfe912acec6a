"""One row of run.sh's table from a judgement. Exit status 1 where the verdict is not the wanted one."""
import json
import math
import statistics
import sys
import time

name, wanted, code, begun, document, log = sys.argv[1:]
wall = time.time() - float(begun)
try:
    with open(document) as file:
        j = json.load(file)
except ValueError:
    print(f"{name:13} {'none, exit ' + code:20} {wall:8.2f}  {open(log).read()[-1500:]}")
    sys.exit(1)
details = [j["reason"][:160]] if j["reason"] else []
if j["passed"]:
    s, t, samples = j["speedup"], j["seconds"], j["samples"]
    ends = [math.log(s[k]) if s.get(k) else float("nan") for k in ("lower", "upper")]
    inside = [x for x in samples["inside"] if x]
    details += [f"{s['estimate']:.3f}x of {s['baseline']}, half width {100 * (ends[1] - ends[0]) / 2:.2f} %, {j['pairs']} pairs, noise {100 * j['noise']:.2f} %",
                f"judge clock {t['candidate'] * 1e6:.2f} us (sd {statistics.pstdev(samples['candidate']) * 1e6:.2f}), reference {t['baseline'] * 1e6:.2f} us "
                f"(sd {statistics.pstdev(samples['baseline']) * 1e6:.2f})"]
    for side in ("candidate", "baseline"):
        ranked = sorted(samples[side])
        details.append(f"{side} quantiles " + " ".join(f"{1e6 * ranked[int(q * (len(ranked) - 1))]:.2f}" for q in (0, .01, .05, .25, .5, .75, .95, .99, 1)))
    if inside:
        details.append(f"jail's events {statistics.median(inside) * 1e6:.2f} us (sd {statistics.pstdev(inside) * 1e6:.2f})")
    details.append("clock " + json.dumps({k: v for k, v in j["clock"].items() if k != "clock"}))
w = j.get("wall", {})
details.append("build %.3f verify %.3f time %.3f s" % (w.get("build", 0), w.get("verify", 0), w.get("time", 0)))
if j.get("log"):
    details.append("log: " + j["log"].splitlines()[0])
shown = ("registers", "local_bytes", "cubin_bytes", "build_seconds", "resources", "steps", "workspace_bytes", "launch")
facts = {k: v for k, v in (j.get("facts") or {}).items() if k in shown or k.endswith("blocks_a_multiprocessor")}
if facts:
    details.append(json.dumps(facts))
print(f"{name:13} {j['verdict']:20} {wall:8.2f}  " + ("\n" + " " * 45).join(details))
sys.exit(0 if wanted in ("any", j["verdict"]) else 1)
