#!/usr/bin/python3
"""Runs clang's analyzer and clang-tidy's cert-* over the product's sources, some minutes for each folder.

Needs Debian's clang-16 and clang-tidy-16: 14 does not read all of C++20.

Usage: scripts/analyze.py [FOLDER ...]      such as command or infra/http; all of the product by default

The sources that the build compiles together are analyzed as one text: the analyzer looks only at functions of the file
that it is given, and most of the time for a single source goes into its headers. Exits with 1 if anything was found.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/analyze"
CHECKERS = "core,cplusplus,deadcode,nullability,unix,security,valist,optin.cplusplus,optin.portability"
# strcpy_s and its like are Microsoft's. Leaks are the tests' sanitizer's to find: what a std::function holds and what librdkafka
# owns is taken for one here.
NOT_CHECKERS = "security.insecureAPI.DeprecatedOrUnsafeBufferHandling,cplusplus.NewDeleteLeaks"
# A constant that cannot be made at the start ends the program, as it should. What snprintf returns says nothing where the
# buffer is as long as the longest text.
CERT = "-*,cert-*,-cert-err58-cpp,-cert-err33-c"
INCLUDE = re.compile(r'^#include "(/.*\.cc)"$', re.MULTILINE)


def commands():
    """Of each source or group of sources of the product: its file and what the compiler needs to know to read it."""
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Debug", "-DTILTH_UNITY=ON",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "generated/events/values/iso_tables.h"], check=True, stdout=subprocess.DEVNULL)
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        kept = [word for word in words if word.startswith(("-I", "-D", "-std"))]
        for at, word in enumerate(words):
            if word == "-isystem":
                kept += [word, words[at + 1]]
        if (file := pathlib.Path(entry["file"])).exists():  # others are generated data
            yield file, kept


def sources_of(file):
    return [pathlib.Path(name) for name in INCLUDE.findall(file.read_text())] or [file]


def analyze(folder, sources, file, flags):
    """The sources and the lines of what was found in them."""
    text = folder / f"{'_'.join(sources[0].relative_to(ROOT).parts)}"
    text.write_text("".join(f'#line 1 "{each}"\n{each.read_text()}\n' for each in sources))
    analyzer = ["clang++-16", "--analyze", "--analyzer-output", "text", "-Xclang", f"-analyzer-checker={CHECKERS}",
                "-Xclang", f"-analyzer-disable-checker={NOT_CHECKERS}", *flags, text]
    cert = ["clang-tidy-16", "-p", BUILD, "--quiet", "--extra-arg=-Wno-everything",
            f"--config={{Checks: '{CERT}', HeaderFilterRegex: '{ROOT}/[a-z]'}}", file]
    found = []
    for command in (analyzer, cert):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        found += [line for line in (done.stdout + done.stderr).splitlines() if is_finding(line)]
    return sources, found


def is_finding(line):
    """Of the product's own, and not accepted by a NOLINT in that line of the source, as clang-tidy reads it."""
    told = re.match(rf"({re.escape(str(ROOT))}/[a-z]\S+?):(\d+):\d+: (?:warning|error): ", line)
    if not told or told[1].startswith(f"{BUILD}/"):
        return False
    return "NOLINT" not in pathlib.Path(told[1]).read_text().splitlines()[int(told[2]) - 1]


def main():
    folders = sys.argv[1:] or ["infra", "command", "projections", "api", "app", "query", "events"]
    everything = [(sources_of(file), file, flags) for file, flags in commands()]
    work = [each for folder in folders for each in everything
            if str(each[0][0].relative_to(ROOT)).startswith(f"{folder.rstrip('/')}/")]
    count = warnings = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [pool.submit(analyze, pathlib.Path(folder), *each) for each in work]
        for number, done in enumerate(concurrent.futures.as_completed(running), 1):
            sources, found = done.result()
            count += len(sources)
            warnings += len(found)
            print(f"{number} of {len(work)}: {sources[0].parent.relative_to(ROOT)}, {len(sources)} sources", flush=True)
            for line in found:
                print(f"  {line}", flush=True)
    print(f"{count} sources, {warnings} findings")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())
