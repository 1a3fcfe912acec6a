"""A Python that has torch, for tests: HONE_TEST_PYTHON, the one that runs this, or one made of the wheels that the build has unpacked.

Those are a CUDA build without its CUDA libraries. Stand-ins that hold nothing but their names serve an import that never calls them."""
import os
import pathlib
import re
import subprocess
import sys

NEEDED = ["sympy==1.14.0", "networkx==3.4.2", "jinja2==3.1.6", "filelock==3.18.0", "typing_extensions==4.14.1", "fsspec==2025.5.1"]


def has_torch(python):
    return subprocess.run([python, "-c", "import torch.export"], capture_output=True).returncode == 0


def skip(reason):
    print(f"{reason}; skipped")
    sys.exit(77)


def readelf(*arguments):
    return subprocess.run(["readelf", *arguments], capture_output=True, text=True).stdout


def stand_ins(torch_dir, folder, compiler):
    """A library for each that torch's need and that is nowhere, with the version that they ask it for."""
    libraries = [path for path in (torch_dir / "torch/lib").glob("*.so*") if path.name != "libtorch_cpu.so"]
    there = {path.name for path in torch_dir.rglob("*.so*")}
    for library in libraries:
        versions = dict(re.findall(r"File: (\S+) .*\n.*Name: (\S+) ", readelf("-V", library)))
        for name in re.findall(r"\(NEEDED\).*\[(lib(?:cu|nccl|nvshmem)[^]]*)\]", readelf("-d", library)):
            if name in there:
                continue
            (folder / "map").write_text(f"{versions.get(name, name)} {{ *; }};")
            subprocess.run([compiler, "-shared", "-x", "c", "-", f"-Wl,-soname,{name}", f"-Wl,--version-script={folder}/map",
                            "-o", folder / name], input="int hone_stand_in;", text=True, check=True)


def variables(torch_dir, folder, compiler):
    """Of the environment in which a Python 3.11 finds the torch of the wheels; folder: an empty one that outlives that Python."""
    stand_ins(torch_dir, folder, compiler)
    (folder / "sitecustomize.py").write_text("import os, sys\nsys.setdlopenflags(os.RTLD_LAZY | os.RTLD_LOCAL)\n")
    return {"LD_LIBRARY_PATH": f"{folder}:{torch_dir}/nvidia/cu13/lib", "PYTHONPATH": f"{folder}:{torch_dir}"}


def made_of_wheels(torch_dir, folder, compiler):
    packages = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "hone" / "import-packages"
    there = "import " + ", ".join(package.split("==")[0] for package in NEEDED)
    with_packages = {**os.environ, "PYTHONPATH": str(packages)}
    install = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", packages, *NEEDED]
    if subprocess.run([sys.executable, "-c", there], env=with_packages, capture_output=True).returncode and subprocess.run(install).returncode:
        skip("the packages that torch.export needs cannot be installed")
    set_ = variables(torch_dir, folder, compiler)
    wrapper = folder / "python"
    wrapper.write_text(f"#!/bin/sh\nLD_LIBRARY_PATH={set_['LD_LIBRARY_PATH']} PYTHONPATH={set_['PYTHONPATH']}:{packages} exec {sys.executable} \"$@\"\n")
    wrapper.chmod(0o755)
    return wrapper


def find(torch_dir, folder, compiler):
    given = os.environ.get("HONE_TEST_PYTHON", sys.executable)
    if has_torch(given):
        return given
    if sys.version_info[:2] != (3, 11):
        skip("no Python with torch, and the wheels are for Python 3.11")
    made = made_of_wheels(pathlib.Path(torch_dir), pathlib.Path(folder), compiler)
    return made if has_torch(made) else skip("the torch of the wheels cannot be imported")
