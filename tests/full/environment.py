"""A virtual environment with pinned packages below hone's cache, for tests whose peers are Python libraries."""
import json, os, subprocess, sys, venv

OFFICIAL_CLIENTS = ["openai==3.57.0", "anthropic==2.14.0", "google-genai==3.6.1"]  # of the environment "official-clients"
SKIPPED = 77  # what CTest takes for "not run"


def cache(name):
    return os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "hone", name)


def run_inside(name, packages, script, alone=(), variables=None):
    """Runs script again with the packages and the argument --inside, and ends; skips where they cannot be fetched.

    alone: packages that come without what they ask for. variables: of the environment, for that run."""
    python = os.path.join(cache(name), "bin", "python")
    if not os.path.exists(python):
        venv.create(cache(name), with_pip=True)
    install = [python, "-m", "pip", "install", "-q"]
    if subprocess.run([*install, *packages]).returncode or alone and subprocess.run([*install, "--no-deps", *alone]).returncode:
        print("the peer packages cannot be installed; skipped")
        sys.exit(SKIPPED)
    sys.exit(subprocess.run([python, script, *sys.argv[1:], "--inside"], env={**os.environ, **(variables or {})}).returncode)


class Peer:
    """A program of ours that answers one JSON request a line with one JSON line."""
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else sys.exit(f"the peer has ended: {str(request):.200}")
