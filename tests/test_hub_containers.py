"""The hub's containers have what it needs, and no more; their files fit its command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from assistant.cli.network.hub import app
from assistant.core.config import load_config

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "examples" / "hub"
PROMTOOL = shutil.which("promtool")
MADE_BY_THE_USER = {"cert.pem", "key.pem", "tenants.toml"}
USER = 10001


@pytest.fixture
def services() -> dict[str, Any]:
    stack = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    found: dict[str, Any] = stack["services"]
    return found


@pytest.fixture
def objects() -> dict[str, Any]:
    """Those of Kubernetes, by kind; of several of one kind the last."""
    text = (FOLDER / "kubernetes.yaml").read_text("utf-8")
    return {one["kind"]: one for one in yaml.safe_load_all(text)}


@pytest.fixture
def pod(objects: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = objects["Deployment"]["spec"]["template"]["spec"]
    return found


@pytest.fixture
def recipe() -> str:
    return (FOLDER / "Dockerfile").read_text("utf-8")


def arguments_of(recipe: str) -> list[str]:
    (command,) = re.findall(r"^CMD (\[.*?\])$", recipe.replace("\\\n", ""), re.MULTILINE)
    found: list[str] = json.loads(command)
    return found


def options_of(arguments: list[str]) -> dict[str, str]:
    """The options that arguments give the command `hub`, by name; none that it does not have."""
    command: Any = typer.main.get_command(app)
    with command.make_context("hub", list(arguments)) as context:
        return {name: value for name, value in context.params.items() if value is not None}


def test_the_hub_has_no_rights(services: dict[str, Any]) -> None:
    hub = services["hub"]
    assert hub["read_only"]
    assert hub["cap_drop"] == ["ALL"]
    assert hub["security_opt"] == ["no-new-privileges:true"]
    assert not hub.keys() & {"privileged", "cap_add", "devices", "network_mode"}


def test_it_has_none_in_kubernetes_either(pod: dict[str, Any]) -> None:
    (hub,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["fsGroup"] == USER
    assert pod["automountServiceAccountToken"] is False
    assert hub["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_image_runs_as_a_user_of_that_number(recipe: str) -> None:
    assert re.findall(r"^USER (.*)$", recipe, re.MULTILINE) == ["assistant"]
    assert f"--uid {USER}" in recipe


def test_both_start_the_hub_with_options_that_it_has(recipe: str, pod: dict[str, Any]) -> None:
    image, kubernetes = options_of(arguments_of(recipe)), options_of(pod["containers"][0]["args"])
    for given in (image, kubernetes):
        assert {"tenants", "cert", "key", "config"} <= given.keys()
        assert (given["port"], given["grpc_port"]) == (8443, 8444)
    assert 'ENTRYPOINT ["/opt/hark/.venv/bin/assistant", "hub"]' in recipe


def test_an_option_that_there_is_not_would_be_noticed(recipe: str) -> None:
    with pytest.raises(Exception, match="No such option"):
        options_of([*arguments_of(recipe), "--telepathy"])


def test_ports_are_the_same_everywhere(
    services: dict[str, Any], objects: dict[str, Any], pod: dict[str, Any], recipe: str
) -> None:
    named = {one["name"]: one["containerPort"] for one in pod["containers"][0]["ports"]}
    assert named == {"https": 8443, "grpc": 8444}
    assert {one["targetPort"] for one in objects["Service"]["spec"]["ports"]} == named.keys()
    (let_in,) = objects["NetworkPolicy"]["spec"]["ingress"]
    assert {one["port"] for one in let_in["ports"]} == named.keys()
    assert services["hub"]["ports"] == [f"{port}:{port}" for port in named.values()]
    assert re.findall(r"^EXPOSE (.*)$", recipe, re.MULTILINE) == ["8443 8444"]
    scraped = yaml.safe_load((FOLDER / "prometheus.yml").read_text("utf-8"))
    (job,) = scraped["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["hub:8443"]}]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert pod["containers"][0][probe]["httpGet"]["port"] in named


def test_what_is_selected_is_the_hub(objects: dict[str, Any]) -> None:
    labels = objects["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert objects["Service"]["spec"]["selector"] == labels
    assert objects["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == labels


def test_one_alone_writes_a_state(objects: dict[str, Any]) -> None:
    assert objects["Deployment"]["spec"]["replicas"] == 1
    assert objects["Deployment"]["spec"]["strategy"] == {"type": "Recreate"}


def test_every_mount_is_a_volume_and_every_file_of_the_command_is_mounted(
    pod: dict[str, Any],
) -> None:
    mounts = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
    assert mounts.keys() == {one["name"] for one in pod["volumes"]}
    given = options_of(pod["containers"][0]["args"])
    for option in ("config", "tenants", "cert", "key"):
        assert str(Path(given[option]).parent) in mounts.values()
    assert "/tmp" in mounts.values()


def test_there_is_room_for_the_shared_memory_of_ray(
    services: dict[str, Any], pod: dict[str, Any]
) -> None:
    text = (REPOSITORY / "assistant/hub/ray/cluster.py").read_text("utf-8")
    found = re.search(r"^OBJECTS_BYTES = (\d+) \* 2\*\*20$", text, re.MULTILINE)
    assert found is not None
    (volume,) = (one for one in pod["volumes"] if one["name"] == "shared-memory")
    for size in (services["hub"]["shm_size"], volume["emptyDir"]["sizeLimit"]):
        assert int(re.sub(r"\D", "", size)) >= int(found[1])


def test_what_is_mounted_is_there_or_made_as_is_told(services: dict[str, Any]) -> None:
    mounts = [mount.split(":") for one in services.values() for mount in one.get("volumes", ())]
    files = [FOLDER / source for source, *_ in mounts if source.startswith(".")]
    assert len(files) > 5
    assert {file.name for file in files if not file.exists()} <= MADE_BY_THE_USER
    told = (REPOSITORY / "docs" / "hub.md").read_text("utf-8")
    assert [name for name in MADE_BY_THE_USER if f"examples/hub/hark/{name}" not in told] == []
    kept_out = (REPOSITORY / ".gitignore").read_text("utf-8").splitlines()
    assert {f"/examples/hub/hark/{name}" for name in MADE_BY_THE_USER} <= set(kept_out)


def test_both_images_are_made_of_the_same_files() -> None:
    daemons = REPOSITORY / "examples" / "containers" / "Dockerfile.dockerignore"
    assert (FOLDER / "Dockerfile.dockerignore").read_bytes() == daemons.read_bytes()


def test_the_settings_are_settings(objects: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(objects["ConfigMap"]["data"]["config.toml"])
    for file in (FOLDER / "hark" / "config.toml", tmp_path / "config.toml"):
        config, _ = load_config((file,))
        assert str(config.state_dir) == "/var/lib/hark"
        assert config.traces.keep


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool, of Debian's package prometheus")
def test_prometheus_takes_its_settings_and_the_alert_rules(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "prometheus.yml", tmp_path)
    shutil.copy(REPOSITORY / "examples" / "operations" / "alerts.yml", tmp_path)
    (tmp_path / "hub.pem").touch()
    command = [str(PROMTOOL), "check", "config", "prometheus.yml"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
