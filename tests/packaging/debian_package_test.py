"""The Debian package has no faults that lintian knows, and a fresh root with it can be run, upgraded, taken back a version,
removed and purged, without the loss of any history. The tests follow one another: each continues with what the one before
it has left. run.sh makes the package and the root; systemd does not run there."""
import functools
import json
import os
import pathlib
import re
import shlex
import stat
import subprocess
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[2]
ROOT = pathlib.Path(os.environ["TILTH_ROOT"])
(PACKAGE,) = pathlib.Path(os.environ["TILTH_PACKAGES"]).glob("tilth_*.deb")
(SYMBOLS,) = pathlib.Path(os.environ["TILTH_PACKAGES"]).glob("tilth-dbgsym_*.deb")
EMAIL = "ada@example.org"
SETTINGS = 'listen = "127.0.0.1:0"\noperator_listen = "127.0.0.1:0"\n'


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, **options)


def inside(*words):
    clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    clean |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
    return run("chroot", ROOT, *words, env=clean)


def dpkg(*words):
    """What dpkg prints; it must succeed."""
    done = inside("dpkg", "--force-confold", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def install(package):
    (ROOT / "tmp/package.deb").write_bytes(pathlib.Path(package).read_bytes())
    return dpkg("--install", "/tmp/package.deb")


def state(path):
    """Mode, owner and group, by the names that the root has."""
    found = (ROOT / path).stat()
    user = next(line.split(":")[0] for line in (ROOT / "etc/passwd").read_text().splitlines()
                if line.split(":")[2] == str(found.st_uid))
    group = next(line.split(":")[0] for line in (ROOT / "etc/group").read_text().splitlines()
                 if line.split(":")[2] == str(found.st_gid))
    return oct(stat.S_IMODE(found.st_mode))[2:], user, group


class Service:
    """What the unit would start, as its user."""

    def __enter__(self):
        unit = (ROOT / "lib/systemd/system/tilth.service").read_text()
        command = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1])
        self.process = subprocess.Popen(
            ["chroot", "--userspec=tilth:tilth", ROOT, "/usr/bin/env", "-C", "/var/lib/tilth", *command],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = re.match(r"Tilth is ready: .* operators at (\S+)$", self.process.stdout.readline())
        assert said, self.process.communicate()[1]
        self.operators = said[1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def tilth(self, *words):
        done = inside("tilth", *words, "--operator", self.operators, "--data", "/var/lib/tilth")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def users(self):
        return {user["email"] for user in json.loads(self.tilth("users", "list", "--json"))["data"]}


@functools.cache
def next_version():
    """The same package, as its next version."""
    folder = pathlib.Path(os.environ["TILTH_PACKAGES"]) / "next"
    assert run("dpkg-deb", "-R", PACKAGE, folder).returncode == 0
    control = folder / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 999.0.0-1", control.read_text(), flags=re.MULTILINE))
    assert run("dpkg-deb", "-Zgzip", "-z1", "-b", folder, folder.with_suffix(".deb")).returncode == 0
    return folder.with_suffix(".deb")


def contents(package):
    done = run("dpkg-deb", "-c", package)
    return {line.split()[5].removeprefix("."): line.split()[:2] for line in done.stdout.splitlines()}


def commands():
    """The words of every command, as the completion knows them."""
    script = run(os.environ["TILTH_BINARY"], "completion", "fish").stdout
    groups = set(re.findall(r"-n '__tilth_at ([a-z]+)' -a [a-z]+ -d", script))
    listed = re.findall(r"-n '__tilth_at ?([a-z]*)' -a ([a-z]+) -d", script)
    own = set(re.findall(r"-n '__tilth_at ([a-z]+)' -l", script))  # of a group that does something itself
    return {f"{group} {word}".strip() for group, word in listed if group or word not in groups - own}


def test_lintian_finds_no_error():
    done = run("lintian", "--allow-root", "--fail-on", "error", PACKAGE, SYMBOLS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_program_makes_the_same_package(tmp_path):
    again = run(TOP / "packaging/build-deb.sh", "--fast", "--binary", os.environ["TILTH_BINARY"], tmp_path)
    assert again.returncode == 0, again.stderr
    assert [(tmp_path / each.name).read_bytes() == each.read_bytes() for each in (PACKAGE, SYMBOLS)] == [True, True]


def test_every_command_has_a_man_page():
    pages = {pathlib.Path(name).name for name in contents(PACKAGE) if name.startswith("/usr/share/man/man1/t")}
    expected = {"tilth-" + words.replace(" ", "-") + ".1.gz" for words in commands()}
    assert len(expected) > 30 and pages == expected | {"tilth.1.gz"}


def test_everything_is_where_debian_looks_for_it():
    there = contents(PACKAGE)
    for name in ("/usr/bin/tilth", "/lib/systemd/system/tilth.service", "/usr/lib/sysusers.d/tilth.conf",
                 "/usr/share/bash-completion/completions/tilth", "/usr/share/zsh/vendor-completions/_tilth",
                 "/usr/share/fish/vendor_completions.d/tilth.fish", "/usr/share/doc/tilth/copyright",
                 "/usr/share/doc/tilth/tilth.cdx.json", "/usr/share/doc/tilth/changelog.gz", "/usr/share/doc/tilth/changelog.Debian.gz",
                 "/usr/share/doc/tilth/examples/monitoring/", "/etc/tilth/tilth.toml"):
        assert name in there, name
    assert all(owner == "root/root" for _, owner in there.values())
    assert run("dpkg-deb", "-I", PACKAGE, "conffiles").stdout.split() == ["/etc/tilth/tilth.toml"]


def test_debug_symbols_are_apart_and_belong_to_the_program(tmp_path):
    assert run("dpkg-deb", "-x", PACKAGE, tmp_path / "program").returncode == 0
    notes = run("readelf", "-Wn", tmp_path / "program/usr/bin/tilth").stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
    assert f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug" in contents(SYMBOLS)
    assert ".symtab" not in run("readelf", "-WS", tmp_path / "program/usr/bin/tilth").stdout


def test_each_setting_of_the_configuration_file_exists(tmp_path):
    text = (TOP / "packaging/tilth.toml").read_text()
    chosen = re.sub(r"^#(?=[a-z\[])", "", text, flags=re.MULTILINE)
    assert chosen != text
    for name, each in (("shipped", text), ("chosen", chosen)):
        (tmp_path / name).write_text(each)
        done = run(os.environ["TILTH_BINARY"], "config", "check", "--config", tmp_path / name)
        assert done.returncode == 0, done.stderr


def test_it_is_installed_without_systemd():
    install(PACKAGE)
    assert state("var/lib/tilth") == ("700", "tilth", "tilth")
    assert state("var/backups/tilth") == ("700", "tilth", "tilth")
    assert state("etc/tilth/tilth.toml") == ("640", "root", "tilth")
    assert (ROOT / "etc/systemd/system/multi-user.target.wants/tilth.service").is_symlink()
    assert re.search(r"^tilth:.*:/var/lib/tilth:/usr/sbin/nologin$", (ROOT / "etc/passwd").read_text(), re.MULTILINE)


def test_systemd_understands_the_installed_unit():
    done = inside("systemd-analyze", "verify", "--man=no", "/lib/systemd/system/tilth.service")
    complaints = [line for line in done.stderr.splitlines() if "tilth.service" in line]
    assert not complaints, complaints


def test_it_starts_and_keeps_a_history():
    (ROOT / "etc/tilth/tilth.toml").write_text(SETTINGS)
    with Service() as service:
        service.tilth("users", "add", "--email", EMAIL, "--plan", "summit")
        assert service.users() == {EMAIL}
        with urllib.request.urlopen(service.operators + "/readyz", timeout=60) as response:
            assert response.status == 200


def test_a_backup_goes_where_the_unit_allows_it():
    with Service() as service:
        service.tilth("backup", "/var/backups/tilth/first")
    assert state("var/backups/tilth/first")[:2] == ("700", "tilth")


def test_an_upgrade_and_the_way_back_keep_the_history_and_the_settings():
    for package, version in ((next_version(), "999.0.0-1"), (PACKAGE, PACKAGE.name.split("_")[1])):
        install(package)
        assert inside("dpkg-query", "-Wf", "${Version} ${db:Status-Status}", "tilth").stdout == f"{version} installed"
        assert (ROOT / "etc/tilth/tilth.toml").read_text() == SETTINGS
        assert state("etc/tilth/tilth.toml") == ("640", "root", "tilth")
        with Service() as service:
            assert service.users() == {EMAIL}


def test_an_installation_can_be_repeated():
    before = (ROOT / "etc/passwd").read_text()
    install(PACKAGE)
    install(PACKAGE)
    assert (ROOT / "etc/passwd").read_text() == before


def test_a_removal_keeps_history_and_settings():
    dpkg("--remove", "tilth")
    assert not (ROOT / "usr/bin/tilth").exists() and not (ROOT / "lib/systemd/system/tilth.service").exists()
    assert (ROOT / "etc/tilth/tilth.toml").read_text() == SETTINGS
    assert (ROOT / "var/lib/tilth/log").is_dir()


def test_a_purge_keeps_the_history_and_says_where_it_is():
    said = dpkg("--purge", "tilth")
    assert not (ROOT / "etc/tilth").exists()
    assert not (ROOT / "etc/systemd/system/multi-user.target.wants/tilth.service").is_symlink()
    for name in ("/var/lib/tilth", "/var/backups/tilth"):
        assert f"rm -r {name}" in said
    assert state("var/lib/tilth") == ("700", "tilth", "tilth") and (ROOT / "var/lib/tilth/log").is_dir()


def test_what_is_installed_again_continues_with_that_history():
    install(PACKAGE)
    (ROOT / "etc/tilth/tilth.toml").write_text(SETTINGS)
    with Service() as service:
        assert service.users() == {EMAIL}


def test_a_purge_without_a_history_leaves_nothing():
    assert run("rm", "-r", ROOT / "var/lib/tilth", ROOT / "var/backups/tilth").returncode == 0
    install(PACKAGE)
    assert "history" not in dpkg("--purge", "tilth")
    left = [path for place in ("etc", "lib/systemd", "usr", "var/lib", "var/backups")
            for path in (ROOT / place).rglob("*tilth*")]
    assert not left


def test_a_release_is_signed(tmp_path):
    key = run("minisign", "-G", "-W", "-p", tmp_path / "key.pub", "-s", tmp_path / "key")
    assert key.returncode == 0, key.stderr
    made = tmp_path / "release"
    done = run(TOP / "packaging/release.sh", "--binary", os.environ["TILTH_BINARY"], "--key", tmp_path / "key",
               "--packages", os.environ["TILTH_PACKAGES"], made)
    assert done.returncode == 0, done.stderr
    listed = {line.split()[1] for line in (made / "SHA256SUMS").read_text().splitlines()}
    assert {PACKAGE.name, SYMBOLS.name} <= listed
    assert {path.name for path in made.iterdir()} == listed | {"SHA256SUMS", "SHA256SUMS.minisig"}

    def verified():
        return run("minisign", "-Vqm", "SHA256SUMS", "-p", tmp_path / "key.pub", cwd=made).returncode == 0 and \
            run("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=made).returncode == 0

    assert verified()
    with open(made / PACKAGE.name, "ab") as package:
        package.write(b"x")
    assert not verified()
