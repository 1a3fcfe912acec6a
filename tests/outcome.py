"""What a reader of a long test run looks for last: which tests failed, with what they printed, and which were skipped, a line a reason.
usage: tests/outcome.py REPORT.xml... (JUnit reports of ctest)"""
import os
import re
import sys
import xml.etree.ElementTree as xml

SHOWN = 30  # lines of what a failed test printed


def reason_of(output):
    """What a skipped test said of itself: the line below GoogleTest's "file:line: Skipped", else the last line that it printed."""
    told = re.search(r": Skipped\n(.+)", output)
    lines = output.strip().splitlines()
    return told.group(1) if told else lines[-1] if lines else "no reason told"


def cases(reports):
    for report in reports:
        if not os.path.exists(report):
            print(f"no report: {report}")
            continue
        for case in xml.parse(report).getroot().iter("testcase"):
            yield report, case, case.findtext("system-out") or ""


def main(reports):
    skipped, failed = {}, []
    for report, case, output in cases(reports):
        left_out = case.find("skipped")
        if left_out is not None and left_out.get("message", "").startswith("SKIP_"):  # any other was to run and could not: no program, no fixture
            skipped.setdefault(reason_of(output), []).append(case.get("name"))
        elif left_out is not None or case.find("failure") is not None:
            failed.append(f"{case.get('name')} ({report})")
            told = output.strip() or (left_out.get("message", "") if left_out is not None else "")
            print(f"failed: {failed[-1]}, whose last lines were:\n" + "\n".join("    " + line for line in told.splitlines()[-SHOWN:]))
    for reason, names in sorted(skipped.items()):
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        print(f"skipped: {len(names)} ({reason}): {shown}")
    print("failed: " + (", ".join(failed) or "none") + ("" if skipped else "; skipped: none"))


main(sys.argv[1:])
