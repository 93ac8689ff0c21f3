"""The Python package: its README is true, its types hold, and it can be built and installed."""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "clients/python"
TYPED = '''
from decimal import Decimal
from tilth import Tilth
from tilth.records import Field

client = Tilth()
farm = client.farms.create(name="Oasis", total_area=Decimal("1.5"))
area: Decimal = farm.total_area
fields: list[Field] = list(client.fields.list(farm))
batch = client.batch()
planned = batch.fields.create(batch.farms.create(name="A", total_area=1), name="North", area=1)
name: str = planned.result().name
'''


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, timeout=600, **options)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


def blocks(text):
    return re.findall(r"```python\n(.*?)```", text, flags=re.S)


def test_the_readme_does_what_it_prints(account, tmp_path):
    program = "\n".join(blocks((PACKAGE / "README.md").read_text()))
    told = run(sys.executable, "-c", program, cwd=tmp_path,
               env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")}).splitlines()
    assert told[:2] == ["North 4 hectares", "South 8.5 hectares"]
    assert "VALIDATION_ERROR" in told and "None" in told
    assert told[-3].startswith("tilth.task.completed ")
    assert told[-2] == "('North', Decimal('4.00000000'), 'Wadi Farm')"
    assert told[-1] == "['Palm Grove', 'Wadi Farm']"


def test_its_types_are_strict_and_those_of_users_hold(tmp_path):
    (tmp_path / "user.py").write_text(TYPED + "\n".join(blocks((PACKAGE / "README.md").read_text())))
    (tmp_path / "wrong.py").write_text('from tilth import Tilth\nTilth().farms.create(name=1, total_area="x", size=2)\n')
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--config-file",
            PACKAGE / "pyproject.toml"]
    run(*mypy, "src", cwd=PACKAGE)
    options = {"cwd": tmp_path, "env": {**os.environ, "MYPYPATH": str(PACKAGE / "src")}}
    run(*mypy, "user.py", **options)
    refused = subprocess.run([str(part) for part in [*mypy, "wrong.py"]], text=True, capture_output=True, **options)
    assert "arg-type" in refused.stdout and "call-arg" in refused.stdout


def test_a_wheel_and_a_source_distribution_are_built(tmp_path):
    run(PACKAGE / "build.sh", tmp_path)
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    held = zipfile.ZipFile(wheel).namelist()
    assert {"tilth/py.typed", "tilth/records.py", "tilth/_resources.py"} <= set(held)
    assert any(name.endswith("README.md") for name in tarfile.open(source).getnames())
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", tmp_path / "site", wheel)
    told = run(sys.executable, "-c", "import tilth; print(tilth.__file__, tilth.__version__)",
               env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
    assert str(tmp_path) in told
