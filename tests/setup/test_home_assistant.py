"""`assistant setup` with a Home Assistant on the network, against a stand-in of its API."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.bridge.home_assistant.token import read_token
from assistant.supervision.settings import load_settings
from tests.support.commands import PROGRAM, run_assistant
from tests.support.dialogue import Dialogue
from tests.support.home_assistant import TOKEN, HomeAssistant
from tests.support.terminal import terminal

NO_SOUND = ("--microphone", "fifo:none", "--loudspeaker", "none", "--wake-word", "jarvis")
WRONG = "eyJhbGciOiJIUzI1NiJ9.wrong"
ADDRESS = "Its address on your network"


@pytest.fixture
def there() -> Iterator[HomeAssistant]:
    with closing(HomeAssistant()) as there:
        there.start()
        yield there


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "secrets" / "token"


@pytest.fixture
def settings(tmp_path: Path, token_file: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(
        f'# mine\n[home_assistant]\ntoken_file = "{token_file}" # there\n[home]\nfile = "" # none\n'
        "[nlu]\nmodels = false # none is fitted\n"
    )
    return file


def nowhere() -> str:
    """An address at which nothing answers."""
    return "http://127.0.0.1:1"


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}


def setup(
    settings: Path, *options: str | Path, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Set up without a terminal."""
    words = ("setup", "--config", settings, "--yes", *options)
    return run_assistant(*words, env=environment(settings.parent), given=given)


def at_terminal(settings: Path) -> Dialogue:
    words = ("setup", "--config", str(settings), *NO_SOUND)
    return Dialogue(*words, env=environment(settings.parent), folder=settings.parent)


def test_it_is_found_and_its_rooms_are_not_asked_for(
    settings: Path, token_file: Path, there: HomeAssistant
) -> None:
    user = at_terminal(settings)
    user.answer("Try it?")
    user.answer(ADDRESS, f"127.0.0.1:{there.port}")
    user.answer("Access token (it is not shown): ", TOKEN)
    user.expect(f"{there.url} takes the token, and has 2 rooms and 4 devices.")
    user.answer("Room (0 for none)", "1")
    user.answer("Write it?")
    user.answer("Type one", "turn on the big light")
    user.expect("Understood.")
    assert user.ends() == 0
    assert TOKEN not in user.shown
    assert "From where" not in user.shown
    written = load_settings((settings,))
    assert (written.home_assistant.url, written.home.area) == (there.url, "kitchen")
    assert written.home.file == ""
    text = settings.read_text()
    for mine in ("# mine\n", "# there\n", "# none\n"):
        assert mine in text
    assert TOKEN not in text
    assert read_token(token_file) == TOKEN
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(token_file.parent.stat().st_mode) == 0o700


def test_what_is_wrong_is_told_and_asked_again(
    settings: Path, token_file: Path, there: HomeAssistant
) -> None:
    user = at_terminal(settings)
    user.answer("Try it?")
    user.answer(ADDRESS, "my house")
    user.expect('"my house" is no address such as')
    user.answer("Once more?")
    user.answer(ADDRESS, nowhere())
    user.answer("Access token", TOKEN)
    user.expect(f"nothing answers at {nowhere()}")
    user.answer("Once more?")
    user.answer(f"[{nowhere()}]", f"{there.url}/lovelace/0")
    user.answer("Access token (it is not shown; Enter", WRONG)
    user.expect(f"{there.url} refuses the access token; make a new one")
    user.answer("Once more?")
    user.answer(f"[{there.url}]")
    user.answer("Access token (it is not shown): ", "short")
    user.expect("that is no access token")
    user.answer("Once more?")
    user.answer(f"[{there.url}]")
    user.answer("Access token (it is not shown): ", TOKEN)
    user.expect("takes the token")
    user.answer("Room (0 for none)")
    user.answer("Write it?", "n")
    assert user.ends() == 1
    assert WRONG not in user.shown
    assert there.proofs == [WRONG, TOKEN]
    assert not token_file.exists()
    assert load_settings((settings,)).home_assistant.url == ""


def test_a_token_that_was_typed_is_tried_at_the_next_address(
    settings: Path, token_file: Path, there: HomeAssistant
) -> None:
    user = at_terminal(settings)
    user.answer("Try it?")
    user.answer(ADDRESS, nowhere())
    user.answer("Access token", TOKEN)
    user.answer("Once more?")
    user.answer(ADDRESS, there.url)
    user.answer("Enter for the one before")
    user.answer("Room (0 for none)")
    user.answer("Write it?")
    user.expect(f"written: {token_file}")
    user.interrupt()
    user.ends()
    assert read_token(token_file) == TOKEN


def test_one_that_does_not_answer_is_gone_on_without(settings: Path, token_file: Path) -> None:
    user = at_terminal(settings)
    user.answer("Try it?")
    user.answer(ADDRESS, nowhere())
    user.answer("Access token", TOKEN)
    user.answer("Once more?", "n")
    user.answer("From where", "0")
    user.answer("Write it?")
    user.expect("written:")
    user.interrupt()
    user.ends()
    assert load_settings((settings,)).home_assistant.url == ""
    assert not token_file.exists()


def test_ctrl_c_at_the_token_writes_nothing(settings: Path, token_file: Path) -> None:
    before = settings.read_text()
    command = (*PROGRAM, "setup", "--config", str(settings), *NO_SOUND)
    with terminal(command, environment(settings.parent), settings.parent) as user:
        user.answer("Try it?")
        user.answer(ADDRESS, nowhere())
        user.expect("Access token")
        user.interrupt()
        assert user.ends() in (1, 130)
        assert "Traceback" not in user.shown
    assert settings.read_text() == before
    assert not token_file.exists()


def test_a_broker_that_is_set_is_told_of_and_home_assistant_is_not_asked_for(
    settings: Path,
) -> None:
    settings.write_text(settings.read_text() + '[mqtt]\nhost = "broker"\n')
    user = at_terminal(settings)
    user.answer("Try it?")
    user.expect("mqtt.host is set, and devices are reached by MQTT or by Home Assistant")
    user.answer("From where", "0")
    user.interrupt()
    user.ends()
    assert ADDRESS not in user.shown


def test_without_a_terminal_the_token_comes_from_a_file_or_by_standard_input(
    settings: Path, token_file: Path, there: HomeAssistant, tmp_path: Path
) -> None:
    mine = tmp_path / "home.yaml"
    mine.write_text("areas: [{name: Attic, id: attic}]\n")
    settings.write_text(
        settings.read_text().replace('file = ""', f'file = "{mine}"\narea = "attic"')
    )
    given = tmp_path / "given"
    given.write_text(f"{TOKEN}\n")
    done = setup(settings, "--home-assistant-url", there.url, "--home-assistant-token", given)
    assert done.returncode == 0, done.stderr
    assert f"{there.url} takes the token, and has 2 rooms and 4 devices." in done.stdout
    assert TOKEN not in done.stdout
    written = load_settings((settings,))
    assert (written.home_assistant.url, written.home.file) == (there.url, "")
    assert written.home.area == ""  # Home Assistant has no attic
    assert mine.exists()
    assert read_token(token_file) == TOKEN
    there.token = "another-token-of-home-assistant"
    options = ("--home-assistant-url", there.url, "--home-assistant-token", "-")
    done = setup(settings, *options, "--area", "bedroom", given=f"{there.token}\n")
    assert done.returncode == 0, done.stderr
    assert read_token(token_file) == there.token
    assert load_settings((settings,)).home.area == "bedroom"


@pytest.fixture
def joined(settings: Path, token_file: Path, there: HomeAssistant) -> Path:
    """Settings in which the Home Assistant is, with its token and a room."""
    token_file.parent.mkdir()
    token_file.touch(0o600)
    token_file.write_text(TOKEN)
    text = settings.read_text().replace(
        "[home_assistant]", f'[home_assistant]\nurl = "{there.url}"'
    )
    settings.write_text(text.replace("[home]", '[home]\narea = "kitchen"'))
    return settings


def test_a_second_run_keeps_it_by_enter_alone(joined: Path, there: HomeAssistant) -> None:
    before = joined.read_text()
    user = at_terminal(joined)
    user.answer("Try it?")
    user.answer(f"[{there.url}]")
    user.answer("Enter for the one before")
    user.expect("takes the token")
    user.answer("Room (0 for none)")
    user.answer("Write it?")
    user.expect("written")
    user.interrupt()
    user.ends()
    assert "the access token, which is not shown" not in user.shown
    assert joined.read_text().startswith(before)


def test_a_second_run_keeps_it_while_it_is_away(joined: Path, there: HomeAssistant) -> None:
    there.stop()
    user = at_terminal(joined)
    user.answer("Try it?")
    user.answer(f"[{there.url}]")
    user.answer("Enter for the one before")
    user.answer("Once more?", "n")
    user.answer("Write it?", "n")
    user.ends()
    assert "From where" not in user.shown
    assert setup(joined).returncode == 0
    kept = load_settings((joined,))
    assert (kept.home_assistant.url, kept.home.area) == (there.url, "kitchen")


def test_a_second_run_changes_the_token(
    joined: Path, token_file: Path, there: HomeAssistant
) -> None:
    there.token = "another-token-of-home-assistant"
    user = at_terminal(joined)
    user.answer("Try it?")
    user.answer(f"[{there.url}]")
    user.answer("Enter for the one before")
    user.expect("refuses the access token")
    user.answer("Once more?")
    user.answer(f"[{there.url}]")
    user.answer("Access token", there.token)
    user.answer("Room (0 for none)")
    user.answer("Write it?")
    user.expect(f"written: {token_file}")
    user.interrupt()
    user.ends()
    assert read_token(token_file) == there.token


def test_a_second_run_takes_it_out(joined: Path) -> None:
    user = at_terminal(joined)
    user.answer("Try it?")
    user.answer(ADDRESS, "none")
    user.answer("From where", "0")
    user.answer("Write it?")
    user.expect("written")
    user.interrupt()
    user.ends()
    left = load_settings((joined,))
    assert (left.home_assistant.url, left.home.area) == ("", "")


def test_rooms_of_ones_own_take_its_place(joined: Path) -> None:
    done = setup(joined, "--home-assistant-url", "none", "--room", "hall: lamp", "--area", "hall")
    assert done.returncode == 0, done.stderr
    written = load_settings((joined,))
    assert (written.home_assistant.url, written.home.area) == ("", "hall")
    assert written.home.file == str(joined.parent / "home.yaml")


def test_a_home_file_that_names_its_devices_stays(
    joined: Path, there: HomeAssistant, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("areas: [{name: Attic, id: attic}]\n")
    url = there.url.replace("http", "HTTP")  # kept as it is spelt
    text = joined.read_text().replace('file = ""', f'file = "{mine}"').replace("kitchen", "attic")
    text = text.replace(there.url, url)
    joined.write_text(text)
    done = setup(joined, "--home-assistant-url", url)
    assert done.returncode == 0, done.stderr
    assert joined.read_text() == text


@pytest.mark.parametrize(
    ("options", "given", "words"),
    [
        (("--home-assistant-url", "my house"), "", "is no address such as"),
        (("--home-assistant-url", "THERE"), "", "give --home-assistant-token FILE"),
        (("--home-assistant-url", "THERE", "--home-assistant-token", "gone"), "", "gone: No such"),
        (("--home-assistant-url", "THERE", "--home-assistant-token", "-"), "", "no access token"),
        (
            ("--home-assistant-url", "THERE", "--home-assistant-token", "-"),
            "eyJhbGciOiJIUzI1NiJ9.another\n",
            "refuses the access token",
        ),
        (
            ("--home-assistant-url", "http://127.0.0.1:1", "--home-assistant-token", "-"),
            f"{TOKEN}\n",
            "nothing answers",
        ),
        (
            ("--home-assistant-url", "127.0.0.9", "--home-assistant-token", "-"),
            f"{TOKEN}\n",
            "http://127.0.0.9:8123",
        ),
        (
            ("--home-assistant-url", "http://8.8.8.8", "--home-assistant-token", "-"),
            f"{TOKEN}\n",
            "not on the local network",
        ),
        (("--home-assistant-url", "THERE", "--room", "hall: lamp"), "", "give no others"),
        (("--home-assistant-token", "-"), TOKEN, "needs the address"),
    ],
)
def test_options_that_cannot_be_used_are_refused_in_a_line(
    settings: Path,
    there: HomeAssistant,
    token_file: Path,
    options: tuple[str, ...],
    given: str,
    words: str,
) -> None:
    before = settings.read_text()
    done = setup(settings, *(o.replace("THERE", there.url) for o in options), given=given)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert words in line
    assert not given or given.strip() not in line
    assert settings.read_text() == before
    assert not token_file.exists()


def test_a_broker_and_home_assistant_together_are_refused(settings: Path) -> None:
    settings.write_text(settings.read_text() + '[mqtt]\nhost = "broker"\n')
    done = setup(settings, "--home-assistant-url", nowhere())
    assert done.returncode == 2
    assert "take mqtt.host out of the settings" in done.stderr


def test_a_token_that_cannot_be_kept_is_not_asked_for(settings: Path) -> None:
    settings.write_text(f'[home_assistant]\ntoken_file = "{settings}/token"\n')
    done = setup(settings, "--home-assistant-url", nowhere(), "--home-assistant-token", "-")
    assert done.returncode == 2
    assert "Not a directory; run this with sudo, or set home_assistant.token_file" in done.stderr
    user = at_terminal(settings)
    user.answer("Try it?")
    user.answer(ADDRESS, nowhere())
    user.expect("run this with sudo")
    user.interrupt()
    user.ends()
    assert "Access token" not in user.shown
