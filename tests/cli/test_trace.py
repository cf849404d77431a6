"""`assistant trace`: the waterfall of an utterance, and all that is kept as OTLP's lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.cli import trace
from assistant.control.traces.otlp import Exporter, trace_id_of
from assistant.control.traces.ring import LineRing, files_of
from assistant.control.traces.spans import Span
from assistant.core.errors import InputError
from tests.support.otlp import parsed, spans_in

BEGAN_NS = 1_767_225_600_000_000_000  # 2026-01-01 00:00:00 UTC
SPANS = (
    Span("utterance", 0.0, 2.0, "audio", "", {"hark.intent": "HassTurnOn"}),
    Span("listening", 0.0, 1.5, "audio"),
    Span("end of speech", 1.5, 1.7, "audio"),
    Span("recognition", 1.6, 1.65, "asr", "end of speech", number=1),
    Span("skill", 1.7, 1.75, "skills", error="skill.slow"),
    Span("playback", 1.75, 2.0, "audio"),
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}"\n[home]\ntime_zone = "Europe/Zurich"\n')
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder with the traces of three utterances."""
    ring, exporter = LineRing(tmp_path / "traces"), Exporter()
    for number in range(3):
        ring.add(exporter.line(f"u{number}", SPANS, BEGAN_NS + number * 60_000_000_000))
    return tmp_path / "traces"


Show = Callable[..., list[dict[str, object]]]


@pytest.fixture
def shown(config: Path, capsys: pytest.CaptureFixture[str]) -> Show:
    def rows(name: str = "") -> list[dict[str, object]]:
        trace.show(name, config, json=True)
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return rows


@pytest.mark.usefixtures("folder")
def test_the_last_one_is_a_waterfall(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace.show("", config)
    when, _, *rows = capsys.readouterr().out.splitlines()
    assert when == f"2026-01-01 01:02:00  {trace_id_of('u2')}"
    names = [" ".join(word for word in row.split() if "━" not in word) for row in rows]
    assert names == [
        "utterance 0 2000.0",
        "listening 0 1500.0",
        "end of speech 1500 200.0",
        "recognition 1600 50.0",
        "skill 1700 50.0 skill.slow",
        "playback 1750 250.0",
    ]
    bars = [(row.index("━"), row.count("━")) for row in rows]
    zero = bars[0][0]
    assert [(at - zero, length) for at, length in bars] == [
        (0, 40), (0, 30), (30, 4), (32, 1), (34, 1), (35, 5)
    ]  # fmt: skip


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["u1", trace_id_of("u1")], ids=["utterance", "trace"])
def test_another_is_found_by_either_id(shown: Show, name: str) -> None:
    rows = shown(name)
    assert {row["trace_id"] for row in rows} == {trace_id_of("u1")}
    assert [(row["name"], row["depth"], row["start_ms"], row["ms"]) for row in rows][:4] == [
        ("utterance", 0, 0.0, 2000.0),
        ("listening", 1, 0.0, 1500.0),
        ("end of speech", 1, 1500.0, 200.0),
        ("recognition", 2, 1600.0, 50.0),
    ]
    assert rows[0]["attributes"] == {"hark.process": "audio", "hark.intent": "HassTurnOn"}
    assert [row["error"] for row in rows if row["error"]] == ["skill.slow"]


@pytest.mark.usefixtures("folder")
def test_all_are_exported_as_lines_of_otlp(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace.export(None, config)
    lines = capsys.readouterr().out.splitlines()
    assert [len(spans_in(parsed(line))) for line in lines] == [6, 6, 6]
    file = tmp_path / "traces.jsonl"
    trace.export(file, config)
    assert file.read_text("utf-8").splitlines() == lines
    assert capsys.readouterr().out == f"3 traces in {file}\n"


def test_what_is_no_trace_is_passed_over(folder: Path, shown: Show, config: Path) -> None:
    (file,) = files_of(folder)
    with file.open("ab") as opened:
        opened.write(b'\xff\n{"resourceSpans": [{}]}\n[]\n{"resourceSpans": "half\n')
    assert {row["trace_id"] for row in shown()} == {trace_id_of("u2")}


def test_without_traces_it_says_how_to_have_them(config: Path) -> None:
    with pytest.raises(InputError, match=r"no trace; set traces\.keep = true"):
        trace.show("", config)


@pytest.mark.usefixtures("folder")
def test_an_id_that_is_not_there_is_named(config: Path) -> None:
    config.write_text(f"{config.read_text()}[traces]\nkeep = true\n")
    with pytest.raises(InputError, match=r'no trace of "u9"; each is there some seconds after'):
        trace.show("u9", config)


@pytest.mark.usefixtures("folder")
def test_a_file_that_cannot_be_written_is_named(config: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone/t\.jsonl: No such file or directory"):
        trace.export(tmp_path / "gone" / "t.jsonl", config)


def test_a_folder_that_cannot_be_read_is_named(config: Path, tmp_path: Path) -> None:
    (tmp_path / "traces" / "00000001.jsonl").mkdir(parents=True)
    with pytest.raises(InputError, match=r"00000001\.jsonl: Is a directory"):
        trace.show("", config)
