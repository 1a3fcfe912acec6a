"""Lists the tests that were skipped, a line a reason. usage: tests/skipped.py REPORT.xml... (JUnit reports of ctest)"""
import re
import sys
import xml.etree.ElementTree as xml


def reason_of(output):
    """What a test said of itself: the line below GoogleTest's "file:line: Skipped", else the last line that it printed."""
    told = re.search(r": Skipped\n(.+)", output)
    lines = output.strip().splitlines()
    return told.group(1) if told else lines[-1] if lines else "no reason told"


def main(reports):
    skipped = {}
    for report in reports:
        for case in xml.parse(report).getroot().iter("testcase"):
            if case.find("skipped") is not None:
                skipped.setdefault(reason_of(case.findtext("system-out") or ""), []).append(case.get("name"))
    for reason, names in sorted(skipped.items()):
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        print(f"skipped: {len(names)} ({reason}): {shown}")
    if not skipped:
        print("skipped: none")


main(sys.argv[1:])
