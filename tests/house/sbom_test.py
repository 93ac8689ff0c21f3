"""The list of what the binary consists of is complete: a CycloneDX document of scripts/sbom.py."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("TILTH_BINARY", ROOT / "build/dev/tilth")).resolve()

pytestmark = pytest.mark.skipif(shutil.which("dpkg") is None, reason="the script asks Debian's package manager")


def listed(*arguments):
    return subprocess.run([ROOT / "scripts/sbom.py", *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def text():
    done = listed(BINARY)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def document(text):
    return json.loads(text)


def how(component):
    return next(each["value"] for each in component["properties"] if each["name"] == "tilth:how")


def test_it_has_the_shape_of_its_standard(document):
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.5", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"])
    application = document["metadata"]["component"]
    assert (application["type"], application["name"]) == ("application", "tilth")
    references = [component["bom-ref"] for component in document["components"]]
    assert len(references) == len(set(references))
    (dependencies,) = document["dependencies"]
    assert dependencies["ref"] == application["bom-ref"] and set(dependencies["dependsOn"]) <= set(references)


def test_every_component_has_a_version_an_address_and_a_licence(document):
    for component in document["components"]:
        assert component["name"] and re.search(r"\d", component["version"]), component
        assert component["purl"].startswith(("pkg:deb/debian/", "pkg:npm/")), component
        assert "+" not in component["purl"] and component["purl"].count(":") == 1, component
        names = [licence["license"].get("id") or licence["license"].get("name") for licence in component["licenses"]]
        assert names and all(names), component


def test_every_library_that_is_linked_is_in_it(document):
    linked = re.findall(r"=> (/\S+)", subprocess.run(["ldd", BINARY], capture_output=True, text=True).stdout)
    packages = {component["name"] for component in document["components"] if how(component) == "linked"}
    for library in linked:
        names = {str(pathlib.Path(library).resolve()), str(pathlib.Path(library).resolve()).removeprefix("/usr")}
        owners = [subprocess.run(["dpkg", "-S", name], capture_output=True, text=True).stdout for name in names]
        assert any(owner.split(":")[0] in packages for owner in owners if owner), library
    assert {"librocksdb7.8", "librdkafka1", "libssl3", "libc6"} <= packages


def test_libraries_that_are_only_headers_are_in_it(document):
    names = {component["name"] for component in document["components"]}
    assert {"libcereal-dev", "rapidjson-dev", "libcli11-dev"} <= names


def test_vendored_web_pages_are_in_it_with_the_digests_of_their_files(document):
    folders = [path.name for path in (ROOT / "dashboard/vendor").iterdir() if path.is_dir()]
    pages = [component for component in document["components"] if component["purl"].startswith("pkg:npm/")]
    assert len(pages) == len(folders) > 0
    for page in pages:
        assert page["components"] and all(len(file["hashes"][0]["content"]) == 64 for file in page["components"])


def test_the_same_binary_has_the_same_list(text):
    assert listed(BINARY).stdout == text


def test_what_is_no_program_is_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    for path in (tmp_path / "text", tmp_path / "nowhere"):
        done = listed(path)
        assert done.returncode == 1 and done.stdout == "" and str(path) in done.stderr
