"""A virtual environment with pinned packages below hone's cache, for tests whose peers are Python libraries."""
import os, subprocess, sys, venv

SKIPPED = 77  # what CTest takes for "not run"


def cache(name):
    return os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "hone", name)


def run_inside(name, packages, script):
    """Runs script again with the packages and the argument --inside, and ends; skips where they cannot be fetched."""
    python = os.path.join(cache(name), "bin", "python")
    if not os.path.exists(python):
        venv.create(cache(name), with_pip=True)
    if subprocess.run([python, "-m", "pip", "install", "-q", *packages]).returncode:
        print("the peer packages cannot be installed; skipped")
        sys.exit(SKIPPED)
    sys.exit(subprocess.run([python, script, *sys.argv[1:], "--inside"]).returncode)
