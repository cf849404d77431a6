"""Settings are changed in the user's file, whose other settings and comments stay."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from assistant.core.errors import ConfigError
from assistant.setup.settings_file import changed, write

SHIPPED = Path(__file__).parent.parent.parent / "systemd" / "config.toml"
CHANGES = {
    "audio.input": "USB Microphone",
    "wake.keywords": {"hey jarvis": 0.8},
    "home.file": "/etc/hark/home.yaml",
}


@pytest.mark.parametrize(
    "text",
    [
        "",
        SHIPPED.read_text(),
        '# top\n[audio]\ninput = \'old\' # why\noutput = "x"\n\n[wake]\nengine = "auto"\n',
        '[wake.keywords]\ncomputer = 0.5\n[home]\narea = ""\n',
        'audio = {input = "old", output = "x"}\n',
        'audio.output = "x"\nhome.area = ""\n',
    ],
)
def test_what_is_changed_is_in_force_and_all_else_stays(text: str) -> None:
    new = changed(Path("config.toml"), text, CHANGES)
    wanted = tomllib.loads(text)
    for name, value in CHANGES.items():
        section, _, key = name.partition(".")
        wanted.setdefault(section, {})[key] = value
    assert tomllib.loads(new) == wanted
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert [line for line in new.splitlines() if line.startswith("#")] == comments
    assert "# why" in new or "# why" not in text
    assert changed(Path("config.toml"), new, CHANGES) == new


@pytest.mark.parametrize("text", ["[audio", "[audio]\ninptu = 1\n", "audio = 7\n"])
def test_a_file_that_is_wrong_is_told_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml"):
        changed(Path("config.toml"), text, CHANGES)


def test_a_setting_that_would_be_wrong_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"wake|keywords"):
        changed(Path("config.toml"), "", {"wake.keywords": {"computer": 7}})


def test_the_one_before_is_kept_with_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    real, file = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    real.write_text("old")
    real.chmod(0o640)
    file.symlink_to(real)
    assert write(file, "new") == tmp_path / "config.toml.bak"
    assert (file.is_symlink(), real.read_text(), real.stat().st_mode & 0o777) == (
        True, "new", 0o640,
    )  # fmt: skip
    assert (tmp_path / "config.toml.bak").read_text() == "old"
    assert write(tmp_path / "new" / "config.toml", "first") is None
