"""The containers give Hark what its units give it, and no more; their files fit one another."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from assistant.core.config import load_config

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "examples" / "containers"
PROMTOOL = shutil.which("promtool")
HARKS = ("assistant", "bridge")


@pytest.fixture
def services() -> dict[str, Any]:
    stack = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    found: dict[str, Any] = stack["services"]
    return found


@pytest.mark.parametrize("name", HARKS)
def test_what_hears_and_what_connects_have_no_rights(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert "cap_add" not in service


def test_the_daemon_has_no_network_and_the_bridge_no_sound_and_no_state(
    services: dict[str, Any],
) -> None:
    assert services["assistant"]["network_mode"] == "none"
    assert services["assistant"]["devices"] == ["/dev/snd"]
    assert "devices" not in services["bridge"]
    held = {mount.split(":")[0] for mount in services["bridge"]["volumes"]}
    assert held == {"runtime", "./hark"}


def test_what_is_mounted_is_there(services: dict[str, Any]) -> None:
    mounts = [mount.split(":") for one in services.values() for mount in one.get("volumes", ())]
    files = [source for source, *_ in mounts if source.startswith(".")]
    assert len(files) > 5
    assert [one for one in files if not (FOLDER / one).exists()] == []


def test_the_image_runs_as_nobody_and_has_the_folders(services: dict[str, Any]) -> None:
    recipe = (FOLDER / "Dockerfile").read_text("utf-8")
    assert re.findall(r"^USER (.*)$", recipe, re.MULTILINE) == ["assistant"]
    places = {mount.split(":")[1] for mount in services["assistant"]["volumes"]}
    made = {"/var/lib/hark", "/etc/hark"}  # by `make install`
    assert [one for one in places - made if one not in recipe] == []


def test_the_image_is_made_of_what_an_installation_copies() -> None:
    let_in = {
        line[1:]
        for line in (FOLDER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    }
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    shipped = re.search(r"^SHIPPED := \$\(wildcard (.*)\)$", makefile, re.MULTILINE)
    beside = re.search(r"\$\(SHIPPED\) (.*?) \$\(HOME_OF_HARK\)", makefile, re.DOTALL)
    assert shipped is not None
    assert beside is not None
    assert let_in == {*shipped[1].split(), *beside[1].replace("\\", "").split()}


def test_the_settings_are_settings() -> None:
    config, _ = load_config((FOLDER / "hark" / "config.toml",))
    assert config.mqtt.host == "broker"
    assert config.uses_bridge


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool, of Debian's package prometheus")
def test_prometheus_takes_its_settings_and_the_alert_rules(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "prometheus.yml", tmp_path)
    shutil.copy(REPOSITORY / "examples" / "operations" / "alerts.yml", tmp_path)
    command = [str(PROMTOOL), "check", "config", "prometheus.yml"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
