#!/usr/bin/env python3
"""Lists what the binary consists of, as a CycloneDX 1.5 document: the libraries that it links, the packages whose
headers were compiled into it, the data that was generated into it, and the vendored web pages.

Usage: scripts/sbom.py [BINARY] > tilth.cdx.json

BINARY is build/release/tilth by default. Run it on the machine that built the binary: names, versions and licences
are those of the installed Debian packages. Headers are listed if the binary is in its build directory. The same
binary and packages produce the same document.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED_FROM = ["iso-codes"]  # the tables of countries and currencies


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False).stdout


def direct_libraries(binary):
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.+)\]", run("readelf", "-d", binary))


def libraries(binary):
    """The files of all libraries that the loader maps, by name."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", binary), re.MULTILINE))


def headers(binary):
    """The system headers that the sources of the binary include."""
    if not (binary.parent / "build.ninja").exists():
        return set()
    objects = run("ninja", "-C", binary.parent, "-t", "deps").split("\n\n")
    return {line.strip() for text in objects if not text.startswith(("tests/", "bench/"))
            for line in text.splitlines()[1:] if line.startswith("    /usr/")}


def packages_of(files):
    """The package of each file; files of no package are left out."""
    spellings = {}
    for file in files:
        for path in {str(pathlib.Path(file)), str(pathlib.Path(file).resolve())}:
            spellings[path] = file
            if path.startswith("/usr/lib/"):  # packages of Debian 12 may still say /lib
                spellings[path.removeprefix("/usr")] = file
            elif path.startswith("/lib/"):
                spellings["/usr" + path] = file
    owners, paths = {}, sorted(spellings)
    for begin in range(0, len(paths), 500):
        for line in run("dpkg", "-S", *paths[begin:begin + 500]).splitlines():
            owner, _, path = line.partition(": ")
            if not owner.startswith("diversion "):
                owners[spellings[path]] = owner.split(",")[0].split(":")[0]
    return owners


def licences(package):
    """The licence names in the package's copyright file, which is machine-readable for most packages."""
    file = pathlib.Path("/usr/share/doc") / package / "copyright"
    text = file.read_text(errors="replace") if file.exists() else ""
    names = sorted(set(re.findall(r"^License: *(\S.*?)\s*$", text, re.MULTILINE))) if "Format:" in text[:500] else []
    return names or [f"see {file}"]


def debian(package, how):
    form = "${Version}\t${Architecture}\t${source:Package}\t${source:Version}"
    shown = run("dpkg-query", "-W", "-f", form + "\n", package).splitlines()
    if not shown:
        raise SystemExit(f"sbom.py: the package {package} is not installed")
    version, architecture, source, source_version = shown[0].split("\t")
    spelled = urllib.parse.quote(version, safe="")
    reference = f"pkg:deb/debian/{urllib.parse.quote(package)}@{spelled}?arch={architecture}&distro=debian-12"
    return {"type": "library", "bom-ref": reference, "name": package, "version": version, "purl": reference,
            "licenses": [{"license": {"name": name}} for name in licences(package)],
            "properties": [{"name": "tilth:how", "value": how},
                           {"name": "debian:source", "value": f"{source} {source_version}"}]}


def vendored():
    """The rows of the table in dashboard/vendor/README.md."""
    table = (ROOT / "dashboard/vendor/README.md").read_text()
    for name, what, version, licence in re.findall(r"^\| \[(.+?)/\]\(.+?\) \| (.+?) \| (.+?) \| (.+?) \|$", table,
                                                   re.MULTILINE):
        named = re.search(r"npm package `(.+?)`", what)
        package = named[1] if named else name
        folder = ROOT / "dashboard/vendor" / name
        reference = f"pkg:npm/{urllib.parse.quote(package)}@{version}"
        yield {"type": "library", "bom-ref": reference, "name": package, "version": version, "purl": reference,
               "licenses": [{"license": {"id": licence.split(",")[0]}}],
               "properties": [{"name": "tilth:how", "value": "embedded in the web pages"}],
               "components": [{"type": "file", "bom-ref": f"{reference}#{file.name}", "name": file.name,
                               "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}]}
                              for file in sorted(folder.iterdir()) if not re.match(r"LICENSE|NOTICE|README", file.name)]}


def document(binary):
    version = re.search(r"project\(tilth VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    linked = libraries(binary)
    if not linked:
        raise SystemExit(f"sbom.py: {binary} is no program that this machine can run")
    owners = packages_of(linked.values())
    strange = [path for path in linked.values() if path not in owners]
    if strange:
        raise SystemExit(f"sbom.py: no Debian package has {', '.join(strange)}")
    how = dict.fromkeys(GENERATED_FROM, "generated into the binary")
    how |= dict.fromkeys(packages_of(headers(binary)).values(), "headers compiled into the binary")
    how |= dict.fromkeys(owners.values(), "linked")
    components = [debian(package, reason) for package, reason in sorted(how.items())] + list(vendored())
    references = {component["name"]: component["bom-ref"] for component in components}
    indirect = {owners[path] for path in linked.values()} - {owners[linked[name]] for name in direct_libraries(binary)
                                                             if name in linked}
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    application = {"type": "application", "bom-ref": f"tilth@{version}", "name": "tilth", "version": version,
                   "licenses": [{"license": {"id": "Apache-2.0"}}], "hashes": [{"alg": "SHA-256", "content": digest}]}
    text = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": application}, "components": components,
            "dependencies": [{"ref": application["bom-ref"],
                              "dependsOn": sorted(set(references.values()) - {references[name] for name in indirect})}]}
    seed = hashlib.sha256(json.dumps(text, sort_keys=True).encode()).hexdigest()
    return {**text, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, seed)}"}


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        raise SystemExit(__doc__)
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else ROOT / "build/release/tilth").resolve()
    if not binary.is_file():
        raise SystemExit(f"sbom.py: there is no {binary}")
    json.dump(document(binary), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
