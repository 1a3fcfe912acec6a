"""A whole contrastive run by policy.http whose model is SmolLM2 behind llama-cpp-python's server: every answer comes and none is lost, as
streams and whole. The tokens of whole answers are in the journal; this server does not count those of streams.

usage: llama_server.py HONE_PROGRAM     (./dev model smollm2 fetches the model; the server is compiled, which takes minutes)"""
import json, os, pathlib, socket, subprocess, sys, tempfile, time, urllib.request
import environment

SCRIPT = """
local hone = require "hone"
local run = hone.run { name = "llama", seed = 1 }
local url = hone.settings("url", "")
local policy = run:policy("http", { model = "llama.cpp/smollm2", base_url = url })
local whole = run:policy("http", { model = "llama.cpp/smollm2", base_url = url, stream = "no" })
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"), seconds = 0.03 }
local suite = run:suite("cpu-basics", { only = { "mse_loss", "cross_entropy" } })
run:contrastive_rl { policy = policy, suite = suite, judge = judge, steps = 2, group = 2, max_tokens = 64 }
run:evaluate { policy = whole, suite = suite, judge = judge, row = "after", group = 2, max_tokens = 64 }
print(run:report())
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url, server):
    for _ in range(600):
        if server.poll() is not None:
            sys.exit(f"the server ended with code {server.returncode}")
        try:
            return urllib.request.urlopen(url + "/models").read()
        except OSError:
            time.sleep(0.1)
    sys.exit("the server does not answer")


def run(hone, url):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "llama.lua").write_text(SCRIPT)
        subprocess.run([hone, "run", "llama.lua", "--set", "url=" + url], cwd=folder, check=True)
        return json.loads(subprocess.run([hone, "report", "llama", "--json"], cwd=folder, check=True, capture_output=True).stdout)


model = os.path.join(environment.cache("models"), "smollm2.gguf")
if not os.path.exists(model):
    print("the model is not there: ./dev model smollm2 fetches it; skipped")
    sys.exit(environment.SKIPPED)
if "--inside" not in sys.argv:
    environment.run_inside("llama-server", ["llama-cpp-python[server]==0.3.36"], __file__)
port = free_port()
server = subprocess.Popen([sys.executable, "-m", "llama_cpp.server", "--model", model, "--port", str(port), "--n_ctx", "8192", "--verbose", "false",
                           "--interrupt_requests", "false"])
try:
    url = f"http://127.0.0.1:{port}/v1"
    wait_for(url, server)
    report = run(os.path.abspath(sys.argv[1]), url)
finally:
    server.terminate()
print(json.dumps({key: report[key] for key in ("policies", "tokens", "usd")}))
row = report["stages"][-1]
if row["samples"] != 4 or row.get("lost"):
    sys.exit(f"4 answers were to be judged: {row}")
if report["samples"] != 12 or "INFRASTRUCTURE" in report["verdicts"]:
    sys.exit(f"12 answers were to be judged, none lost: {report['samples']}, {report['verdicts']}")
if not (report["tokens"]["in"] > 0 and report["tokens"]["out"] > 0):
    sys.exit(f"no tokens were counted: {report['tokens']}")
