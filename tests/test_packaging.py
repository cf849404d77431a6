"""What is installed is pinned, hashed and complete, and the install places what it says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

REPOSITORY = Path(__file__).resolve().parent.parent
REQUIREMENTS = REPOSITORY / "requirements"
FILES = (
    *("run.txt", "dev.txt", "piper.txt", "gpio.txt", "discovery.txt", "report.txt"),
    *("satellite.txt", "hub.txt"),
)
PACKAGES = ("assistant", "audio", "nlu", "skills")
OPTIONAL = {
    *("gpiozero", "lgpio", "matplotlib", "piper", "pytest", "zeroconf"),
    *("fastapi", "google", "grpc", "pydantic", "ray", "uvicorn"),
}
"""Imported only where they are: the mute button's pins, plots, the extra voice engine, fixtures for
authors of skills, discovery, and the hub."""

OLDEST_PYTHON = "3.11.2"
"""Debian 12's, and so Raspberry Pi OS bookworm's."""

PIN = re.compile(r"([a-z0-9][a-z0-9-]*)==(\S+)(?: ; python_full_version [<>=]+ '3\.13')? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def _pins(file: str) -> dict[str, str]:
    text = (REQUIREMENTS / file).read_text("utf-8")
    return {found[1]: found[2] for line in text.splitlines() if (found := PIN.fullmatch(line))}


def _faults(text: str) -> list[str]:
    """Lines that are neither a pin followed by a hash nor a hash."""
    lines = text.splitlines()
    return [
        line
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
        if not (HASH.fullmatch(line) or (PIN.fullmatch(line) and HASH.fullmatch(following)))
    ]


def _names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", requirement) for requirement in requirements)
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in found if name}


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    document = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    assert isinstance(document["project"], dict)
    return {**document["project"], "build": document["build-system"]["requires"]}


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_a_pin_or_its_hash(file: str) -> None:
    text = (REQUIREMENTS / file).read_text("utf-8")
    assert _pins(file)
    assert _faults(text) == []


@pytest.mark.parametrize(
    "line",
    ["--index-url https://example.org/simple", "rich>=13", "rich==13.0", "enum34==1.1.10 \\"],
)
def test_a_host_or_a_pin_without_hash_would_be_noticed(line: str) -> None:
    text = (REQUIREMENTS / "run.txt").read_text("utf-8")
    assert _faults(f"{text}{line}\n") == [line]


def test_the_requirements_cover_what_the_project_names(project: dict[str, object]) -> None:
    dependencies, build = project["dependencies"], project["build"]
    assert isinstance(dependencies, list)
    assert isinstance(build, list)
    assert _names([*dependencies, *build]) <= _pins("run.txt").keys()


@pytest.mark.parametrize(
    "name", ["dev", "piper", "gpio", "discovery", "report", "satellite", "hub"]
)
def test_a_further_set_holds_what_it_is_made_from(name: str) -> None:
    wanted = (REQUIREMENTS / f"{name}.in").read_text("utf-8").splitlines()
    assert (
        _names([line for line in wanted if not line.startswith("-")]) <= _pins(f"{name}.txt").keys()
    )


def test_every_import_is_a_dependency_that_the_project_names(project: dict[str, object]) -> None:
    dependencies = project["dependencies"]
    assert isinstance(dependencies, list)
    files = [file for package in PACKAGES for file in (REPOSITORY / package).rglob("*.py")]
    imported = {name for file in files for name in _imports(file)} - OPTIONAL
    foreign = imported - sys.stdlib_module_names - set(PACKAGES)
    assert "zmq" in foreign
    distributions = packages_distributions()
    named = _names(dependencies)
    assert [name for name in foreign if not _names(distributions.get(name, [])) & named] == []


def _imports(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    origins = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in [*plain, *origins] if name}


@pytest.mark.parametrize("file", FILES[1:])
def test_the_files_agree_on_versions(file: str) -> None:
    pins = _pins(file)
    others = {name: pin for other in FILES if other != file for name, pin in _pins(other).items()}
    both = pins.keys() & others.keys()
    assert both
    assert {name: pins[name] for name in both} == {name: others[name] for name in both}


def _too_new(pins: dict[str, str]) -> list[str]:
    """Those among the installed `pins` whose own metadata refuse the oldest Python."""
    return [
        f"{name} {version} wants Python {wanted}"
        for name, version in pins.items()
        if (wanted := _wanted_python(name, version))
        and not SpecifierSet(wanted).contains(OLDEST_PYTHON)
    ]


def _wanted_python(name: str, version: str) -> str | None:
    try:
        installed = metadata(name)
    except PackageNotFoundError:
        return None
    assert installed["Version"] == version, f"{name} is not what is pinned; run: make .venv/.dev"
    return installed.get("Requires-Python")


@pytest.mark.parametrize("file", FILES)
def test_every_pin_suits_the_oldest_python(file: str) -> None:
    assert _too_new(_pins(file)) == []


def test_a_pin_for_a_newer_python_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = "Metadata-Version: 2.1\nName: new\nVersion: 1.0\nRequires-Python: >=3.11.5\n"
    (tmp_path / "new-1.0.dist-info").mkdir()
    (tmp_path / "new-1.0.dist-info/METADATA").write_text(facts, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert _too_new({"new": "1.0", "six": _pins("run.txt")["six"]}) == [
        "new 1.0 wants Python >=3.11.5"
    ]


def test_the_oldest_python_is_what_the_project_and_the_check_name() -> None:
    document = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    check = (REPOSITORY / "scripts/check-python").read_text("utf-8")
    assert document["project"]["requires-python"] == f">={OLDEST_PYTHON}"
    assert str(tuple(map(int, OLDEST_PYTHON.split(".")))) in check
    assert f"({OLDEST_PYTHON} or later)" in (REPOSITORY / "README.md").read_text("utf-8")


def test_what_builds_the_package_is_pinned_from_the_same_words(project: dict[str, object]) -> None:
    assert (REQUIREMENTS / "build.in").read_text("utf-8").splitlines() == project["build"]


@pytest.mark.parametrize("file", FILES)
def test_what_would_shadow_the_standard_library_is_left_out(file: str) -> None:
    assert "enum34" not in _pins(file)


def test_installing_places_everything_but_keeps_the_users_settings(tmp_path: Path) -> None:
    def make(target: str) -> None:
        command = ("make", target, f"DESTDIR={tmp_path}")
        subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)

    make("install")
    for placed in (
        "opt/hark/assistant/core/bus.py",
        "opt/hark/systemd/gpio.conf",
        "etc/systemd/system/assistant.service",
    ):
        assert (tmp_path / placed).is_file()
    assert (tmp_path / "usr/local/bin/assistant").is_symlink()
    settings = tmp_path / "etc/hark/config.toml"
    settings.write_text("# mine\n", "utf-8")
    stale = tmp_path / "opt/hark/skills/removed_since.py"
    stale.touch()
    make("install")
    assert settings.read_text("utf-8") == "# mine\n"
    assert not stale.exists()
    make("uninstall")
    left = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if not path.is_dir()]
    assert left == [Path("etc/hark/config.toml")]


@pytest.mark.parametrize("target", ["demo", "run", "test", "test-changed", "install"])
def test_set_up_tries_to_pull_whisper_unless_told_not_to(target: str) -> None:
    def commands(*options: str) -> str:
        command = ("make", "--dry-run", target, "MAKE=true", *options)  # or it would be run
        done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
        return done.stdout

    pull = "assistant models pull whisper-tiny.en --if-reachable"
    assert pull in commands("PULL=yes")
    assert pull not in commands("PULL=no")


def test_an_old_python_is_refused_in_one_line(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    old.chmod(0o755)
    refused = subprocess.run(
        (REPOSITORY / "scripts/check-python", old), capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "Python 3.11" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_missing_debian_package_is_named_with_the_command_to_run(tmp_path: Path) -> None:
    _command(tmp_path, "dpkg-query", "exit 1")
    _command(tmp_path, "id", "echo 1000")
    _command(tmp_path, "sudo", "exit 1")
    _command(tmp_path, "grep", "exit 1")
    told = _packages(tmp_path, "flite", "sox")
    assert told.returncode == 1
    assert told.stderr.startswith("Debian packages are missing; run: sudo apt-get install")
    assert told.stderr.endswith(" flite sox\n")
    assert told.stderr.count("\n") == 1


def test_present_debian_packages_pass_in_silence(tmp_path: Path) -> None:
    _command(tmp_path, "dpkg-query", "echo installed")
    _command(tmp_path, "grep", "exit 0")
    told = _packages(tmp_path, "flite", "sox")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def _command(folder: Path, name: str, body: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    file.chmod(0o755)


def _packages(path: Path, *names: str) -> subprocess.CompletedProcess[str]:
    script = REPOSITORY / "scripts/debian-packages"
    return subprocess.run(
        (script, *names), capture_output=True, text=True, check=False, env={"PATH": str(path)}
    )
