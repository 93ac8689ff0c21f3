"""The binary that users run has the toolchain's protections. The build of ./test has sanitizers instead, so this
configures the preset `release`, checks the flags of all its sources, and builds a small program with them."""
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("TILTH_BINARY", ROOT / "build/dev/tilth")).resolve()
FLAGS = {"-O2", "-fPIE", "-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection=full",
         "-D_FORTIFY_SOURCE=3", "-D_GLIBCXX_ASSERTIONS"}
LINKED = {"-pie", "-z,relro,-z,now"}

PROBE = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
int main(int count, char** words) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  char text[8];
  if (count > 2) std::strcpy(text, words[2]);  // a long word does not fit
  std::printf("%s %d\\n", text, numbers[static_cast<std::size_t>(std::atoi(words[1]))]);
}
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """A build directory of the preset, configured and not built."""
    folder = tmp_path_factory.mktemp("release")
    done = subprocess.run(["cmake", "--preset", "release", "-B", folder], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def commands(build):
    return [shlex.split(each["command"]) for each in json.loads((build / "compile_commands.json").read_text())]


@pytest.fixture(scope="module")
def link_flags(build):
    text = (build / "build.ninja").read_text()
    target = text[text.index("build tilth: CXX_EXECUTABLE_LINKER"):]
    return shlex.split(re.search(r"LINK_FLAGS = (.*)", target)[1])


def test_every_source_is_compiled_with_all_protections(commands):
    assert len(commands) > 50
    for words in commands:
        assert FLAGS <= set(words), (words[-1], FLAGS - set(words))


def test_the_binary_is_linked_with_all_protections(link_flags):
    for wanted in LINKED:
        assert any(wanted in flag for flag in link_flags), link_flags


def read(*words):
    return subprocess.run(["readelf", "-W", *map(str, words)], capture_output=True, text=True, check=True).stdout


def protections(program):
    """What the file itself says, by the names that checksec uses."""
    headers, dynamic, symbols = read("-hl", program), read("-d", program), read("--dyn-syms", program)
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", program], capture_output=True, text=True,
                          check=True).stdout
    stack = re.search(r"GNU_STACK .* (\S+) +0x\w+$", headers, re.MULTILINE)
    return {"pie": "DYN (Position-Independent Executable" in headers,
            "relro": "GNU_RELRO" in headers,
            "bind now": "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic) is not None,
            "no executable stack": stack is not None and "E" not in stack[1],
            "stack protector": "__stack_chk_fail" in symbols,
            "fortify": re.search(r"__\w+_chk@", symbols) is not None,
            "libstdc++ assertions": "__glibcxx_assert_fail" in symbols,
            "branch targets": re.search(r"<main>:\n.*endbr64", code) is not None or code.count("endbr64") > 1_000}


@pytest.fixture(scope="module")
def probe(build, commands, link_flags):
    kept = [word for word in commands[0] if word in FLAGS or word.startswith(("-std=", "-U_FORTIFY"))]
    (build / "probe.cc").write_text(PROBE)
    subprocess.run(["g++", *kept, build / "probe.cc", "-o", build / "probe", *link_flags], check=True)
    return build / "probe"


def test_these_flags_have_their_effects(probe):
    missing = [name for name, there in protections(probe).items() if not there]
    assert not missing


def test_a_program_without_them_is_told_apart(build):
    plain = build / "plain"
    (build / "probe.cc").write_text(PROBE)
    subprocess.run(["g++", "-O2", "-no-pie", "-fcf-protection=none", "-z", "norelro", build / "probe.cc", "-o", plain],
                   check=True)
    assert [name for name, there in protections(plain).items() if there] == ["no executable stack"]


@pytest.mark.parametrize("words,complaint", [
    (["9999999"], "Assertion '__n < this->size()' failed"), (["0", "a word that is too long"], "buffer overflow detected")])
def test_a_memory_error_ends_the_program(probe, words, complaint):
    assert subprocess.run([probe, "0", "word"], capture_output=True).returncode == 0
    done = subprocess.run([probe, *words], capture_output=True, text=True)
    assert done.returncode == -6 and complaint in done.stderr, done


def test_the_binary_itself_has_all_protections():
    if "libasan" in read("-d", BINARY) or "libtsan" in read("-d", BINARY):
        pytest.skip("this binary has sanitizers; TILTH_BINARY=build/release/tilth checks the one that users run")
    missing = [name for name, there in protections(BINARY).items() if not there]
    assert not missing
