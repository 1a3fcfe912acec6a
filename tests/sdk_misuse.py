#!/usr/bin/env python3
"""What an author of a part may get wrong and the compiler must say: each program below is refused, by these words.

usage: tests/sdk_misuse.py SDK_FOLDER COMPILER
"""
import subprocess
import sys

BORN = "A(hone::Host, hone::Doc) {}"
TIME = "hone_sample time(const hone_run&) override { return {}; }"
TIMER = 'HONE_TIMER(A, "a", "1", "one", "cpu", "s")'
OPEN = "std::unique_ptr<Subject> open(hone::Doc, hone::Doc, hone::Out) { return nullptr; }"

MISUSES = {
    "a right one": (f"struct A : hone::TimerPart {{ {BORN} {TIME} }}; {TIMER}", ""),
    "a misspelt function": (f"struct A : hone::TimerPart {{ {BORN} {TIME} void atach(const hone_device&) override {{}} }}; {TIMER}",
                            "marked 'override', but does not override"),
    "another signature": (f"struct A : hone::TimerPart {{ {BORN} {TIME} void flush() override {{}} }}; {TIMER}",
                          "marked 'override', but does not override"),
    "an overload beside it": (f"struct A : hone::TimerPart {{ {BORN} {TIME} void facts(hone::Out) override {{}} void facts(int) {{}} }}; {TIMER}",
                              "cannot resolve address of overloaded function"),
    "an override without the word": (f"struct A : hone::TimerPart {{ {BORN} {TIME} void attach(const hone_device&) {{}} }}; {TIMER}",
                                     "can be marked override"),
    "options in a private section": (f"class A : public hone::TimerPart {{ public: {BORN} {TIME} private: static constexpr hone_option options[] = {{{{}}}}; }}; "
                                     f"{TIMER}", "`options` is not public: hone would not see it"),
    "options in a public section": (f"class A : public hone::TimerPart {{ public: {BORN} {TIME} static constexpr hone_option options[] = {{{{}}}}; }}; {TIMER}", ""),
    "a final class": (f"struct A final : hone::TimerPart {{ {BORN} {TIME} }}; {TIMER}", ""),
    "no base class": (f"struct A {{ {BORN} hone_sample time(const hone_run&) {{ return {{}}; }} }}; {TIMER}",
                      "derive the class from hone::TimerPart (hone/timer.hpp)"),
    "no time()": (f"struct A : hone::TimerPart {{ {BORN} }}; {TIMER}", "abstract"),
    "a shaper as a timer": (f"struct A : hone::ShaperPart {{ {BORN} void shape(const hone::Docs&, double*, hone::Out) override {{}} }}; {TIMER}",
                            "derive the class from hone::TimerPart (hone/timer.hpp)"),
    "no constructor for host and options": (f"struct A : hone::TimerPart {{ A() {{}} {TIME} }}; {TIMER}", "no matching function"),
    "a prompt by references": (f"struct A : hone::PromptPart {{ {BORN} void write(const hone::Doc&, const hone::Docs&, uint64_t, const Put&) "
                               'override {} }; HONE_PROMPT(A, "a", "1", "one")', "marked 'override', but does not override"),
    "learn alone": (f"struct A : hone::PolicyPart {{ {BORN} void sample(const hone_feed&) override {{}} hone_stepped learn(const hone_batch&, "
                    'const hone_step&) override { return {}; } }; HONE_POLICY(A, "a", "1", "one")',
                    "a policy that learns overrides encode, score, learn, save and load"),
    "a subject of no base class": ("struct S { void launch(const hone_call&) {} bool wait(double, double&, hone::Out) { return true; } };"
                                   f"struct A : hone::VerifierPart {{ using Subject = S; {BORN} {OPEN} }};"
                                   'HONE_VERIFIER(A, "a", "1", "one")', "its Subject from hone::LoadedCandidate"),
    "a verifier without memory": ("struct S : hone::LoadedCandidate { void launch(const hone_call&) override {} bool wait(double, double&, "
                                  "hone::Out) override { return true; } };"
                                  f"struct A : hone::VerifierPart {{ using Subject = S; {BORN} {OPEN} void brief(hone::Doc, hone::Out) override {{}} "
                                  'hone_device device() override { return {}; } }; HONE_VERIFIER(A, "a", "1", "one")', "abstract"),
    "a program of no base class": ("struct P { void launch(const hone_call&) {} };"
                                   f"struct A : hone::ReferencePart {{ using Program = P; {BORN} std::unique_ptr<P> open(const hone_device&, "
                                   'hone::Doc, std::string_view) { return nullptr; } }; HONE_REFERENCE(A, "a", "1", "one")',
                                   "its Program from hone::LoadedReference"),
}


def errors(program):
    done = subprocess.run([sys.argv[2], "-std=c++20", "-fsyntax-only", "-Werror=overloaded-virtual", "-Werror=suggest-override", "-I", sys.argv[1], "-x", "c++", "-"],
                          input='#include "hone/plugin.hpp"\n' + program, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    return "\n".join(line for line in done.stderr.split("\n") if "error" in line)


missed = 0
for name, (program, words) in MISUSES.items():
    told = errors(program)
    if words not in told if words else told:
        missed += 1
        print(f"{name}: {'not refused' if not told else told}")
print(f"{len(MISUSES)} programs, {missed} not as expected")
sys.exit(1 if missed else 0)
