"""Secrets in files, of which nothing is told but where they lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bridge.network.secrets import Secrets
from assistant.core.errors import SkillError
from assistant.core.network.origin import Origin

NAS = Origin.read("https://nas.local:8443")
TOKEN = "Bearer k3y0fTheCellar"
FILE = f'origin = "{NAS}"\nauthorization = "{TOKEN}"\n'


def written(folder: Path, text: str = FILE, mode: int = 0o600) -> Path:
    file = folder / "recipes" / "token"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


def refusal(folder: Path | None, name: str = "token", origin: Origin = NAS) -> str:
    with pytest.raises(SkillError) as refused:
        Secrets(folder).of("recipes", name, origin)
    assert refused.value.code == "skill.secret"
    assert "k3y" not in refused.value.message
    assert refused.value.__cause__ is None or "k3y" not in str(refused.value.__cause__)
    return refused.value.message


def test_a_secret_is_given_for_its_server_and_shows_itself_nowhere(tmp_path: Path) -> None:
    written(tmp_path)
    secret = Secrets(tmp_path).of("recipes", "token", NAS)
    assert secret.authorization == TOKEN
    assert "k3y" not in f"{secret} {secret!r} {[secret]}"
    assert secret.is_in(b"you sent k3y0fTheCellar!")
    assert not secret.is_in(b"hello")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620, 0o602, 0o644])
def test_one_that_others_may_read_or_write_is_refused_until_they_may_not(
    tmp_path: Path, mode: int
) -> None:
    file = written(tmp_path, mode=mode)
    assert "chmod 600" in refusal(tmp_path)
    file.chmod(0o400)
    assert Secrets(tmp_path).of("recipes", "token", NAS)


@pytest.mark.parametrize(
    "other", ["https://nas.local", "http://nas.local:8443", "https://evil.example:8443"]
)
def test_it_goes_to_no_other_server(tmp_path: Path, other: str) -> None:
    written(tmp_path)
    assert "for another server" in refusal(tmp_path, origin=Origin.read(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k3y",
        f'authorization = "{TOKEN}"',
        f'{FILE}more = "k3y"',
        FILE.replace(str(NAS), "nas"),
        FILE.replace("Bearer", "Bearer\\r\\nHost: evil"),
        FILE.replace("Bearer", "Bärer"),
        FILE.replace(TOKEN, ""),
    ],
)
def test_what_is_no_secret_is_told_without_its_words(tmp_path: Path, text: str) -> None:
    written(tmp_path, text)
    assert str(tmp_path) in refusal(tmp_path)


@pytest.mark.parametrize("name", ["../other/token", "..", "", "a/b", "token\0", "no", "t" * 65])
def test_no_name_leads_elsewhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "other").mkdir()
    written(tmp_path).rename(tmp_path / "other" / "token")
    assert refusal(tmp_path, name)


def test_a_link_leads_nowhere(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.rename(tmp_path / "token")
    file.symlink_to(tmp_path / "token")
    assert refusal(tmp_path)


def test_without_a_folder_there_are_none() -> None:
    assert "network.secrets" in refusal(None)
