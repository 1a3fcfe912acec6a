#!/usr/bin/env python3
"""Makes packages with torch.compile's Inductor of the transcripts that reference.torch has left in a folder, so that hone's baseline is the
fastest of eager, graph, compiled and compiled graph. Needs Python's torch (of reference.torch's version) and a C++ compiler; for a GPU, Triton.

  1. hone judge ... --set reference.compiled=FOLDER     leaves FOLDER/TASK-HASH-DEVICE.json for each task that has no package yet (on the device
                                                        that it is for: a task for a GPU needs one here)
  2. python3 scripts/compile_references.py FOLDER       makes FOLDER/TASK-HASH-DEVICE.pt2 of each: half a minute a task. One that is there is kept;
                                                        remove it to have it made anew
  3. the same as 1: the baseline is now the fastest form (`baseline_forms` in a judgement)

Packages are for the machine and the version of torch that made them. Exit code: 0 all were made, 1 some could not be."""
import argparse, concurrent.futures, json, os, pathlib, subprocess, sys, time


def value(torch, tensors, device, item):
    """An argument as the transcript has it (plugins/reference_torch/transcript.hpp)."""
    if isinstance(item, list):
        return [value(torch, tensors, device, one) for one in item]
    if not isinstance(item, dict):
        return item
    (kind, what), = item.items()
    return {"tensor": lambda: tensors[what], "dtype": lambda: getattr(torch, what), "number": lambda: float(what),
            "device": lambda: torch.device(device)}[kind]()


def module_of(torch, doc):
    class Reference(torch.nn.Module):
        def forward(self, *inputs):
            tensors = list(inputs)
            for step in doc["steps"]:
                _, name = step["op"].split("::")
                operator, overload = name.split(".")
                function = getattr(getattr(torch.ops.aten, operator), overload)
                # what may only be named comes last, as in the transcript
                given = [value(torch, tensors, doc["device"], item) for item in step["args"]]
                positional = [a for a in function._schema.arguments if not a.kwarg_only]
                named = {a.name: v for a, v in zip(function._schema.arguments[len(positional):], given[len(positional):])}
                made = function(*given[:len(positional)], **named)
                tensors.extend(made if isinstance(made, (list, tuple)) else [made])
            return tuple(tensors[n] for n in doc["outputs"])
    return Reference()


def compile_one(transcript, thorough):
    import torch
    try:
        doc = json.loads(transcript.read_text())
    except json.JSONDecodeError as error:
        sys.exit(f"no transcript ({error}); remove it, the next judging writes it anew")
    if doc.get("schema") != "hone.transcript/1":
        sys.exit(f"no transcript: \"schema\" is {doc.get('schema')!r}")
    if "fault" in doc:
        sys.exit(doc["fault"])
    if torch.__version__.split("+")[0] != doc["torch"]:
        sys.exit(f"reference.torch is {doc['torch']}, Python's torch is {torch.__version__}: pip install torch=={doc['torch']}")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = doc["tf32"]
    example = tuple(torch.zeros(i["shape"], dtype=getattr(torch, i["dtype"]), device=doc["device"]) for i in doc["inputs"])
    # as many threads as the judge has; the torch that is in the judge already, of which a machine without GPU lacks a part
    options = {"cpp.dynamic_threads": True, "aot_inductor.link_libtorch": False}
    if thorough:
        options.update({"max_autotune": True, "coordinate_descent_tuning": True})
    part = transcript.with_suffix(f".{os.getpid()}.pt2")
    with torch.no_grad():
        exported = torch.export.export(module_of(torch, doc), example)
        torch._inductor.aoti_compile_and_package(exported, package_path=str(part), inductor_configs=options)
    part.rename(transcript.with_suffix(".pt2"))


def run_one(transcript, thorough):
    begun = time.time()
    command = [sys.executable, __file__, str(transcript.parent), "--one", str(transcript)] + ["--max-autotune"] * thorough
    done = subprocess.run(command, capture_output=True, text=True)
    words = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
    return transcript, done.returncode, words, time.time() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--max-autotune", action="store_true", help="let Inductor measure more ways (minutes a task)")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2),
                        help="processes at once (half of the cores; with --max-autotune on a GPU take 1: they would measure each other)")
    parser.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return compile_one(arguments.one, arguments.max_autotune)
    if not arguments.folder.is_dir():
        sys.exit(f"{arguments.folder}: no such folder; `hone judge ... --set reference.compiled={arguments.folder}` makes it")
    if not os.access(arguments.folder, os.W_OK):
        sys.exit(f"{arguments.folder}: cannot be written")
    if arguments.jobs < 1:
        sys.exit("--jobs takes a number above 0")
    try:
        import torch  # noqa: F401
    except ImportError as error:
        sys.exit(f"Python's torch is needed here: {error}; pip install torch==2.11.0")
    if not any(arguments.folder.glob("*.json")):
        sys.exit(f"{arguments.folder}: holds no transcript; `hone judge ... --set reference.compiled={arguments.folder}` leaves them")
    missing = [t for t in sorted(arguments.folder.glob("*.json")) if not t.with_suffix(".pt2").exists()]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        print(f"{len(missing)} to make, {arguments.jobs} at once", flush=True)
        working = [pool.submit(run_one, transcript, arguments.max_autotune) for transcript in missing]
        for done in concurrent.futures.as_completed(working):
            transcript, code, words, seconds = done.result()
            failed += code != 0
            print(f"{transcript.stem}: {'made' if code == 0 else 'NOT made: ' + words} ({seconds:.1f} s)", flush=True)
    print(f"{len(missing) - failed} packages made, {failed} not; {len(list(arguments.folder.glob('*.pt2')))} in {arguments.folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
