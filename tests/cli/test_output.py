"""What commands show cannot move the terminal, whoever has written it."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assistant.cli.shared import output
from assistant.cli.shared.output import LONGEST_TEXT, SafeConsole

HOSTILE = "Done.\x1b[2J\x1b]0;title\x07\x9b1m\r\u202etxet\ud800"


def shown(*what: object, live: bool = False) -> str:
    file = io.StringIO()
    console = SafeConsole(highlight=False, file=file, force_terminal=live, width=200)
    if live:
        with Live(console=console, auto_refresh=False) as screen:
            for one in what:
                screen.update(Text(str(one)), refresh=True)
        return file.getvalue()
    for one in what:
        console.print(one, markup=False, soft_wrap=True)
    return file.getvalue()


def table(text: str) -> Table:
    made = Table("", "", title=Text(text))
    made.add_row(text, Text(text))
    return made


@pytest.mark.parametrize(
    "what", [HOSTILE, Text(HOSTILE), table(HOSTILE)], ids=["str", "text", "table"]
)
def test_control_characters_are_written_as_escapes(what: object) -> None:
    said = shown(what)
    assert all(character.isprintable() or character == "\n" for character in said)
    assert r"Done.\x1b[2J" in said


def test_a_screen_is_moved_by_itself_alone() -> None:
    said = shown(HOSTILE, live=True)
    assert r"\x1b[2J" in said
    assert "\x1b[2J" not in said
    assert "\x1b[?25l" in said  # its own


def test_a_long_text_is_cut() -> None:
    assert len(shown("x" * 1_000_000)) < LONGEST_TEXT + 100


def test_honest_text_stays_as_it_is() -> None:
    text = "Küche: “21 °C”, 👨‍👩‍👧\n\tDone."
    assert shown(text) == text.expandtabs(8) + "\n"


def test_json_has_no_control_characters_and_stays_what_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = HOSTILE.replace("\ud800", "")
    output.emit({"reply": hostile})
    said = capsys.readouterr().out
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in said.rstrip("\n"))
    assert msgspec.json.decode(said) == {"reply": hostile}
