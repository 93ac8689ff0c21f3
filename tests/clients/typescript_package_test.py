"""The TypeScript package: it is built, its README is true, its types hold, and its own tests pass."""
import json
import os
import pathlib
import re
import subprocess
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).parent
PACKAGE = ROOT / "clients/typescript"
STRICT = ["--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--types", "node"]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, timeout=600, **options)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A folder of a program that has the package installed from its tarball."""
    folder = tmp_path_factory.mktemp("program")
    run(PACKAGE / "build.sh", folder / "built")
    (tarball,) = (folder / "built").glob("*.tgz")
    modules = folder / "node_modules"
    (modules / "@tilth").mkdir(parents=True)
    with tarfile.open(tarball) as packed:
        packed.extractall(modules / "@tilth")
    (modules / "@tilth/package").rename(modules / "@tilth/client")
    for name in ("@types", "undici-types", "standardwebhooks", "@stablelib", "fast-sha256"):
        installed = pathlib.Path(os.environ["NODE_MODULES"]) / name
        if installed.exists():
            (modules / name).symlink_to(installed)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def tsc(*arguments, cwd):
    return run(pathlib.Path(os.environ["NODE_MODULES"]) / ".bin/tsc", *STRICT, *arguments, cwd=cwd)


def test_it_has_no_dependency(program):
    described = json.loads((program / "node_modules/@tilth/client/package.json").read_text())
    assert "dependencies" not in described and described["type"] == "module"


def test_the_readme_does_what_it_prints(program, account):
    blocks = re.findall(r"```ts\n(.*?)```", (PACKAGE / "README.md").read_text(), flags=re.S)
    (program / "readme.ts").write_text("\n".join(blocks))
    tsc("readme.ts", cwd=program)
    told = run("node", "readme.js", cwd=program).splitlines()
    assert told == ["North 4 hectares", "South 8.5 hectares", "0 1", "VALIDATION_ERROR", "[ 'must not be empty' ]",
                    "3 Palm Grove", "null", "tilth.task.completed true"]


def test_what_does_not_fit_does_not_compile(program):
    (program / "wrong.ts").write_text('import { Tilth } from "@tilth/client";\n'
                                      'const made = await new Tilth({ key: "k" }).farms.create({ name: 1, totalArea: 2 });\n'
                                      'made.name = "read only";\nmade.size;\n')
    with pytest.raises(AssertionError) as refused:
        tsc("wrong.ts", cwd=program)
    assert {"TS2322", "TS2540", "TS2339"} <= set(re.findall(r"TS\d+", str(refused.value)))


def test_its_tests_pass(program, account):
    (program / "client.test.ts").write_text((HERE / "client.test.ts").read_text())
    tsc("client.test.ts", cwd=program)
    told = run("node", "--test", "client.test.js", cwd=program)
    assert "# fail 0" in told and re.search(r"# pass [1-9]\d", told), told
