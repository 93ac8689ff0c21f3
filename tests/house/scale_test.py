"""docs/scale.md has the figures that scripts/scale.py computes, each result follows from the arithmetic next to it, and no
other figure is on the page."""
import importlib.util
import math
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/scale.py"
PAGE = (ROOT / "docs/scale.md").read_text()
TABLES = re.findall(r"<!-- scripts/scale.py (\w+) -->\n(.*?)<!-- end -->", PAGE, re.S)
SUMS = [tuple(row) for name, table in TABLES if name != "constants" for row in re.findall(r"^\| (.+?) \| (.+?) \| \*\*(.+?)\*\* \|$", table, re.M)]
UNITS = {"billion": 1e9, "million": 1e6, "TB": 1e12, "GB": 1e9, "MB": 1e6, "Gbit": 1e9, "µs": 1e-6, "min": 60, "h": 3600}
ROUNDED = 0.02  # what may be lost in three digits of a term and of the result

spec = importlib.util.spec_from_file_location("scale", SCRIPT)
scale = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scale)


def value_of(arithmetic):
    """The value of what is written, with its units, by no code of the script."""
    text = arithmetic.replace("/s", "").replace(",", "").replace("×", "*")
    text = re.sub(r"(?<=\d)\*$", "", text.strip())  # a result: 86.4×
    for unit, factor in UNITS.items():
        text = re.sub(rf"([\d.]+) {unit}\b", rf"(\1*{factor})", text)
    text = re.sub(r"[a-zµ]+(?: [a-z]+)*", lambda word: "" if word[0] != "e" else "e", text)
    assert re.fullmatch(r"[\d.e+*/() -]+", text), (arithmetic, text)
    return eval(text)  # noqa: S307: digits and operators, as was just asserted


def test_the_tables_are_those_of_the_script():
    assert scale.filled(PAGE, scale.sizes([])) == PAGE, "run scripts/scale.py --write"


@pytest.mark.parametrize("what, arithmetic, result", SUMS)
def test_the_result_follows_from_the_arithmetic(what, arithmetic, result):
    exact, *rounding = arithmetic.split(", to the next multiple of ")
    value = value_of(exact)
    if rounding:
        value = math.ceil(value / int(rounding[0])) * int(rounding[0])
    assert value == pytest.approx(value_of(result), rel=ROUNDED)


def test_each_constant_is_where_the_page_says():
    assert re.search(r"\| P4c \| .*\b262,000\b", (ROOT / "docs/benchmarks.md").read_text())
    assert "about 500 bytes each" in (ROOT / "docs/operations.md").read_text()
    assert "`bench/run scale`" in (ROOT / "docs/benchmarks.md").read_text()
    assert {line[3].split(",")[0] for line in scale.MEASURED.values()} == {
        "`bench/run scale`", "P4c of [benchmarks](benchmarks.md)", "[operations](operations.md#build-one-again)"}


def test_prose_has_only_figures_of_the_tables():
    prose = re.sub(r"<!-- scripts/scale.py .*?<!-- end -->|```.*?```|\]\([^)]*\)|`[^`]*`|\bP4c\b|^\d\. ", "", PAGE, flags=re.S | re.M)
    computed = " ".join(table for _, table in TABLES)
    stated = {"4", "20"}  # the processors and memory of a machine that is enough, the length of a list
    for figure in re.findall(r"\d[\d,.]*\d|\d", prose):
        assert figure in stated or re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d,.])", computed), figure
    enough = max(value_of(result) for what, _, result in SUMS if what.startswith("processors of a node"))
    assert enough <= 4


def test_another_size_has_other_figures():
    run = lambda *flags: subprocess.run([sys.executable, SCRIPT, *flags], capture_output=True, text=True, check=True).stdout
    assert "**7.3 billion**" in run("--years", "2") and "**3.65 billion**" in run()
