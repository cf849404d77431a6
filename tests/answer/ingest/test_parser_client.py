"""Files through the real process: what they hold, and what a hostile one costs."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from assistant.answer.ingest import parser_client
from assistant.answer.ingest.parser_client import ParsedFile, ParserClient
from assistant.answer.ingest.parser_messages import Parsed, Ready
from assistant.answer.ingest.sandbox import Limits
from assistant.core.errors import AnswerError
from assistant.core.fork import LARGEST_PACKET_BYTES
from tests.support import hostile_parser
from tests.support.handmade_pdf import pdf, pdf_bomb, pdf_of

LIMITS = Limits(
    file_bytes=10_000_000, memory_bytes=150_000_000, cpu_s=1, wall_s=60.0, result_bytes=1_000_000
)
HOSTILE = "tests.support.hostile_parser:parse"
UNFILTERED = "tests.support.hostile_parser_unfiltered:parse"
EVENT = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Dentist\n"
    "DTSTART;TZID={zone}:20260303T093000\nEND:VEVENT\nEND:VCALENDAR\n"
)


@pytest.fixture(scope="module")
def indexer() -> Iterator[ParserClient]:
    with ParserClient(LIMITS) as made:
        yield made


@pytest.fixture(scope="module")
def attacked() -> Iterator[ParserClient]:
    with ParserClient(LIMITS, HOSTILE) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "manual.txt"


def test_a_file_comes_back_as_passages(indexer: ParserClient, tmp_path: Path) -> None:
    path = tmp_path / "dishwasher.md"
    path.write_text("# Dishwasher\n\n## Cleaning\n\nRinse the filter.\n")
    found = indexer.parsed(path)
    assert (found.path, found.document.title) == (path, "Dishwasher")
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [(p.place, p.text) for p in found.passages] == [("Cleaning", "Rinse the filter.")]
    assert found.document.kind != "note"
    assert indexer.parsed(path, note=True).document.kind == "note"
    indexer.begin(path)
    assert _polled(indexer) == found


def test_a_confined_parser_lacks_nothing_that_it_needs(
    indexer: ParserClient, tmp_path: Path
) -> None:
    """What a library loads on first use has to be there before the door is shut."""
    files = {
        "a.pdf": pdf([["The pump starts when the door is shut."]], bookmarks={"Pump": 0}),
        "a.html": "<meta charset='gb18030'><p>你好，世界。</p>".encode("gb18030"),
        "b.html": b'<meta charset="made-up"><p>Hello.</p>',
        "a.txt": "Grüße".encode("cp1252"),
        "u.txt": "Grüße".encode("utf-16"),
        "a.ics": EVENT.format(zone="America/New_York").encode(),
        "b.ics": EVENT.format(zone="W. Europe Standard Time").encode(),
        "c.ics": EVENT.format(zone="Nowhere/At_All").encode(),
        "a.vcf": b"BEGIN:VCARD\nVERSION:2.1\n"
        b"FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg\nEND:VCARD\n",
        "a.epub": _book("<p>It blew.</p>"),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        assert indexer.parsed(tmp_path / name).document.sections, name


@pytest.mark.parametrize(
    ("action", "code", "said"),
    [
        ("recurse", "answer.crashed", "its parser failed (RecursionError)"),
        ("memory", "answer.memory", "takes more than 150 MB of memory to read"),
        ("fail", "answer.crashed", "its parser failed (KeyError)"),
        ("crash", "answer.crashed", "made its parser crash (SIGSEGV)"),
        ("leave", "answer.crashed", "made its parser crash (status 7)"),
        ("leave quietly", "answer.crashed", "made its parser crash (status 0)"),
        ("lie in part", "answer.crashed", "made its parser crash (status 0)"),
        ("lie in letters", "answer.crashed", "made its parser crash (status 0)"),
        ("lie in depth", "answer.crashed", "made its parser crash (status 0)"),
        ("talk", "answer.too_large", "holds more text than can be kept"),
        ("socket", "answer.forbidden", "reach for a file or the network"),
        ("local socket", "answer.forbidden", "reach for a file or the network"),
        ("open", "answer.forbidden", "reach for a file or the network"),
        ("write", "answer.forbidden", "reach for a file or the network"),
        ("delete", "answer.forbidden", "reach for a file or the network"),
        ("fork", "answer.forbidden", "reach for a file or the network"),
        ("run", "answer.forbidden", "reach for a file or the network"),
        ("kill", "answer.forbidden", "reach for a file or the network"),
        ("descriptors", "answer.forbidden", "reach for a file or the network"),
    ],
)
def test_a_hostile_file_costs_itself_alone(
    attacked: ParserClient, file: Path, action: str, code: str, said: str
) -> None:
    with pytest.raises(AnswerError) as raised:
        _asked(attacked, file, action)
    assert raised.value.code == code
    assert raised.value.message.startswith("manual.txt ")
    assert said in raised.value.message
    assert "secret" not in raised.value.message
    assert _asked(attacked, file, "nothing") == "done and well"


@pytest.mark.parametrize("action", ["socket", "local socket", "open", "write", "delete", "kill"])
def test_unconfined_the_same_actions_succeed(action: str) -> None:
    """Else the test above would prove nothing."""
    assert hostile_parser.parse("a.txt", action.encode()).sections[0].text.startswith("done")


def test_the_limits_hold_where_the_kernel_has_no_filter(file: Path) -> None:
    with ParserClient(LIMITS, UNFILTERED) as indexer:
        for action in ("socket", "local socket", "open", "write"):
            with pytest.raises(AnswerError, match="reach for a file or the network"):
                _asked(indexer, file, action)
        # The filter's own part, and the proof that it was off here.
        assert _asked(indexer, file, "kill").startswith("done")


def test_every_limit_of_the_kernel_is_set(file: Path) -> None:
    """Also those that the filter makes up for."""
    with ParserClient(LIMITS, UNFILTERED) as indexer:
        core_file_processes_descriptors = [(0, 0)] * 4
        expected = [*core_file_processes_descriptors, (LIMITS.cpu_s, LIMITS.cpu_s + 1)]
        assert _asked(indexer, file, "limits") == f"done {expected}"


@pytest.mark.skipif(
    subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True).returncode != 0,
    reason="no process may have a network of its own here",
)
def test_the_parser_has_a_network_of_its_own_that_is_none(file: Path) -> None:
    with ParserClient(LIMITS, UNFILTERED) as indexer:
        network = _asked(indexer, file, "network").removeprefix("done ")
    assert network.startswith("net:[")
    assert network != os.readlink("/proc/self/ns/net")


def test_the_process_is_started_with_what_it_needs_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL"):
        monkeypatch.setenv(name, "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("TOKEN", "secret")
    with ParserClient(LIMITS, UNFILTERED) as indexer:
        kept = ["LANG", "LC_ALL", "PATH", "PYTHONPATH", "TZ"]
        assert _asked(indexer, file, "environment") == f"done {kept}"
        assert _asked(indexer, file, "standard") == f"done {['/dev/null'] * 3}"
        # Beside those three the pipe for its result, which holds most of them whole.
        assert _asked(indexer, file, "pipes") == "done [1048576]"
        assert _asked(indexer, file, "opened").count(",") == 3


def test_a_child_shares_what_is_loaded_and_logs_nothing(attacked: ParserClient, file: Path) -> None:
    assert _asked(attacked, file, "share") == "done True"
    assert _asked(attacked, file, "log") == "done False"


REFUSED_FROM_OUTSIDE = """
import ctypes, errno, os
from assistant.core.confinement import seccomp as c
from assistant.core.confinement.rights import PR_SET_NO_NEW_PRIVS, isolate
unshare, prctl = (272, 157) if os.uname().machine == "x86_64" else (97, 167)
program = [
    c._step(c.LOAD, 0),
    c._step(c.JUMP_IF_EQUAL, unshare, 0, 1),
    c._step(c.RETURN, c.SECCOMP_ERRNO | errno.ENOSPC),
    c._step(c.JUMP_IF_EQUAL, prctl, 0, 3),
    c._step(c.LOAD, 16),
    c._step(c.JUMP_IF_EQUAL, PR_SET_NO_NEW_PRIVS, 0, 1),
    c._step(c.RETURN, c.SECCOMP_ERRNO | errno.EPERM),
    c._step(c.RETURN, c.SECCOMP_ALLOW),
]
ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
assert c.install(program)
print(*isolate(os.getppid()), sep="; ")
"""


def test_what_the_kernel_refuses_is_told_with_its_reason() -> None:
    said = subprocess.check_output([sys.executable, "-c", REFUSED_FROM_OUTSIDE], text=True)
    told = (
        "no_new_privs (Operation not permitted)",
        "a network namespace (No space left on device)",
    )
    assert said.strip() == "; ".join(told)


REFUSED_THIS = """
import sys
from assistant.answer.ingest import parser_process
parser_process.isolate = lambda parent, niceness: {refused}
parser_process.main(sys.argv[1:])
"""


AT_ONCE = """
import msgspec, os, pathlib, socket, sys
from assistant.answer.ingest.parser_messages import ParsingEnded, Ready, Refused
line = socket.socket(fileno=int(sys.argv[1]))
_, (_, result), _, _ = socket.recv_fds(line, 65536, 2)
line.send(msgspec.msgpack.encode(Ready()))
line.send(msgspec.msgpack.encode(ParsingEnded(status=0)))
os.write(result, msgspec.msgpack.encode(Refused(code="answer.unreadable", message="no letter")))
os.close(result)
pathlib.Path({said!r}).touch()
line.recv(1)
"""


def test_what_the_process_says_at_once_is_heard_one_by_one(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("nothing")
    said = file.with_name("said")
    program = (sys.executable, "-c", AT_ONCE.format(said=str(said)))
    monkeypatch.setattr(parser_client, "PROGRAM", program)
    with ParserClient(LIMITS, HOSTILE) as indexer:
        indexer.begin(file)
        _await(said.exists)
        with pytest.raises(AnswerError, match=r"^no letter$"):
            _polled(indexer)


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ([], []),
        (["a filter", "a lock (no)"], ["the indexer runs without a filter, a lock (no)"]),
    ],
)
def test_what_the_process_goes_without_is_logged(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    refused: list[str],
    told: list[str],
) -> None:
    caplog.set_level("INFO")
    program = (sys.executable, "-c", REFUSED_THIS.format(refused=refused))
    monkeypatch.setattr(parser_client, "PROGRAM", program)
    with ParserClient(LIMITS, HOSTILE) as indexer:
        assert _asked(indexer, file, "nothing") == "done and well"
    assert [record.message for record in caplog.records] == told


FILTERED_FROM_OUTSIDE = """
import ctypes, os
from assistant.core.confinement import seccomp as c
from assistant.core.confinement.rights import PR_SET_NO_NEW_PRIVS, isolate
if {denying}:
    seccomp = [c._step(c.LOAD, 16), c._step(c.JUMP_IF_EQUAL, c.PR_SET_SECCOMP, 0, 1)]
    prctl = 157 if os.uname().machine == "x86_64" else 167
    calls = [c._step(c.LOAD, 0), c._step(c.JUMP_IF_EQUAL, prctl, 0, 3)]
    program = [*calls, *seccomp, c._step(c.RETURN, c.SECCOMP_ERRNO | 1)]
else:
    program = []
ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
assert c.install([*program, c._step(c.RETURN, c.SECCOMP_ALLOW)])
print([r for r in isolate(os.getppid()) if "filter" in r])
"""


@pytest.mark.parametrize(
    ("denying", "told"), [(False, "[]"), (True, "['a filter of system calls']")]
)
def test_below_a_filter_of_others_it_is_told_whether_ours_is_in_force(
    denying: bool, told: str
) -> None:
    """As under systemd's SystemCallFilter=."""
    program = FILTERED_FROM_OUTSIDE.format(denying=denying)
    said = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert said.strip() == told


def test_nothing_of_a_document_reaches_the_journal(
    file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with ParserClient(LIMITS, HOSTILE) as indexer:
        assert _asked(indexer, file, "shout").startswith("done 3")
    assert capfd.readouterr() == ("", "")
    hostile_parser.parse("a.txt", b"shout")  # the control: here it can be seen
    assert "swordfish" in capfd.readouterr().err


def test_parser_and_child_die_with_whoever_started_them(file: Path) -> None:
    file.write_text("nothing")
    program = (
        "import sys; from pathlib import Path\n"
        "from assistant.answer.ingest.parser_client import ParserClient\n"
        f"file, indexer = Path(sys.argv[1]), ParserClient(parser='{HOSTILE}')\n"
        "indexer.parsed(file); file.write_text('sleep'); indexer.begin(file)\n"
        "print(indexer.pid, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        parser = int(owner.stdout.readline())
        _await(lambda: len(_group(parser)) == 2)
        owner.kill()
    _await(lambda: _group(parser) == [])


def test_one_that_only_waits_is_given_up_too(file: Path) -> None:
    limits = Limits(cpu_s=5, wall_s=0.8)
    given_up = pytest.raises(AnswerError, match=r"given up after 1 seconds")
    with ParserClient(limits, HOSTILE) as indexer, given_up:
        _asked(indexer, file, "sleep")


def test_bombs_are_named(indexer: ParserClient, tmp_path: Path) -> None:
    bombs = {
        "zip.epub": _book(" " * 90_000_000),
        "stream.pdf": pdf_bomb(bytes(90_000_000)),
        "slow.pdf": pdf_of([b"BT /F1 9 Tf " + b"(a) Tj 0 -9 Td " * 400_000 + b"ET"]),
    }
    told = {}
    with ParserClient(msgspec.structs.replace(LIMITS, cpu_s=30)) as patient:
        for name, content in bombs.items():
            (tmp_path / name).write_bytes(content)
            with pytest.raises(AnswerError) as raised:
                (indexer if name == "slow.pdf" else patient).parsed(tmp_path / name)
            told[name] = raised.value.code
            assert raised.value.message.startswith(name)
    assert told == {
        "zip.epub": "answer.memory",
        "stream.pdf": "answer.memory",
        "slow.pdf": "answer.hung",
    }


def test_polling_never_waits(attacked: ParserClient, file: Path) -> None:
    file.write_text("loop")
    attacked.begin(file)
    polls, given_up = 0, ""
    while not given_up:
        try:
            assert attacked.poll() is None
        except AnswerError as error:
            given_up = error.message
        polls += 1
        time.sleep(0.01)
    assert given_up == "manual.txt was given up after 1 seconds of computing"
    assert polls > 3  # one that waited would be the only one


def test_polling_waits_for_news_as_long_as_it_is_told_to(
    attacked: ParserClient, file: Path
) -> None:
    assert _asked(attacked, file, "nothing") == "done and well"
    file.write_text("sleep")
    attacked.begin(file)
    began_s = time.monotonic()
    assert attacked.poll(0.2) is None
    assert time.monotonic() - began_s >= 0.2
    attacked.close()


def test_polling_returns_with_the_news(file: Path) -> None:
    with ParserClient(Limits(), HOSTILE) as indexer:
        for action in ("nothing", "write megabytes"):
            file.write_text(action)
            indexer.begin(file)
            _polled(indexer, 3600.0)


def test_one_file_is_parsed_at_a_time(attacked: ParserClient, file: Path) -> None:
    file.write_text("nothing")
    attacked.begin(file)
    with pytest.raises(ValueError, match=f"^{file} is still being parsed$"):
        attacked.begin(file)
    _polled(attacked)
    with pytest.raises(ValueError, match=r"^no file was begun$"):
        attacked.poll()
    with ParserClient() as other, pytest.raises(ValueError, match=r"^no file was begun$"):
        other.poll()


def test_a_file_and_its_result_may_be_so_long_and_no_longer(tmp_path: Path) -> None:
    path, too_large = tmp_path / "a.txt", pytest.raises(AnswerError)
    path.write_text("The filter is rinsed.")
    size = path.stat().st_size
    with ParserClient(Limits(file_bytes=size)) as indexer:
        found = indexer.parsed(path)
        path.write_text("The filter is rinsed. ")
        with pytest.raises(AnswerError, match=r"is larger than 0 MB"):
            indexer.parsed(path)
    path.write_text("The filter is rinsed.")
    parsed = Parsed(sha256=found.sha256, document=found.document, passages=found.passages)
    size = len(msgspec.msgpack.encode(parsed))
    with ParserClient(Limits(result_bytes=size)) as indexer:
        assert indexer.parsed(path) == found
    with ParserClient(Limits(result_bytes=size - 1)) as indexer, too_large as raised:
        indexer.parsed(path)
    assert raised.value.code == "answer.too_large"
    assert raised.value.message == "a.txt holds more text than can be kept"


def test_without_a_larger_pipe_it_does_with_the_usual(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for a user whose pipes hold much already."""

    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr(parser_client.fcntl, "fcntl", refuse)
    with ParserClient(Limits(), HOSTILE) as indexer:
        assert _asked(indexer, file, "nothing") == "done and well"


@pytest.mark.parametrize("name", ["a.ics", "A.ICAL"])
def test_the_zones_of_a_calendar_are_there_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    path = tmp_path / name
    path.write_text(EVENT.format(zone="W. Europe Standard Time"))
    with ParserClient(LIMITS) as indexer:
        (event,) = indexer.parsed(path).document.sections
    assert event.starts == "2026-03-03T17:30:00+09:00"


def test_a_zone_that_a_calendar_defines_is_known_by_its_name(tmp_path: Path) -> None:
    """Else a series would keep the distance from here that its first time had."""
    defined = (
        "BEGIN:VTIMEZONE\nTZID:Europe/London\nBEGIN:STANDARD\nDTSTART:19961027T020000\n"
        "TZOFFSETFROM:+0100\nTZOFFSETTO:+0000\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT"
    )
    event = EVENT.format(zone="Europe/London").replace("END:VEV", "RRULE:FREQ=WEEKLY\nEND:VEV")
    (tmp_path / "a.ics").write_text(event.replace("BEGIN:VEVENT", defined, 1))
    with ParserClient(LIMITS, zone="Asia/Tokyo") as indexer:
        (section,) = indexer.parsed(tmp_path / "a.ics").document.sections
    assert section.starts == "2026-03-03T18:30:00+09:00"
    assert section.series is not None
    assert (section.series.zone, section.series.start) == ("Europe/London", "2026-03-03T09:30:00")
    assert "at 09:30 London time" in section.text


def test_why_a_parser_refuses_a_file_is_told(indexer: ParserClient, tmp_path: Path) -> None:
    (tmp_path / "a.ics").write_text("BEGIN:VCALENDAR\nno calendar")
    with pytest.raises(AnswerError) as raised:
        indexer.parsed(tmp_path / "a.ics")
    told = "a.ics is no calendar that can be read"
    assert (raised.value.code, raised.value.message) == ("answer.unreadable", told)


def test_no_descriptor_is_left_open(file: Path) -> None:
    before = _descriptors()
    with ParserClient(LIMITS, HOSTILE) as indexer:
        assert _asked(indexer, file, "nothing") == "done and well"
        running = _descriptors()
        for action in ("nothing", "fail", "crash"):
            with contextlib.suppress(AnswerError):
                _asked(indexer, file, action)
        with pytest.raises(AnswerError):
            indexer.parsed(file.parent)
        assert _descriptors() == running
        with pytest.raises(AnswerError):
            _asked(indexer, file, "talk")
        assert _descriptors() == before
        file.write_text("sleep")
        indexer.begin(file)
    assert _descriptors() == before


def test_no_device_pipe_or_giant_is_opened(indexer: ParserClient, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with (tmp_path / "giant.txt").open("wb") as giant:
        giant.truncate(LIMITS.file_bytes + 1)
    for name, said in {
        "pipe.txt": "pipe.txt cannot be opened: is no file",
        "giant.txt": "giant.txt is larger than 10 MB",
        "missing.txt": "missing.txt cannot be opened: No such file or directory",
        ".": f"{tmp_path.name} is no file",
    }.items():
        with pytest.raises(AnswerError) as raised:
            indexer.parsed(tmp_path / name)
        assert (raised.value.code, raised.value.message) == ("answer.unreadable", said)


def test_a_link_put_in_the_way_since_is_not_followed(indexer: ParserClient, tmp_path: Path) -> None:
    """As between the look at the folder and the reading."""
    real, linked = tmp_path / "real", tmp_path / "linked"
    real.mkdir()
    (real / "a.txt").write_text("The secret word is swordfish.")
    linked.symlink_to(real)
    (tmp_path / "a.txt").symlink_to(real / "a.txt")
    for path, said in {
        tmp_path / "a.txt": "is a link, and those are not followed",
        linked / "a.txt": "cannot be opened: Not a directory",
    }.items():
        with pytest.raises(AnswerError, match=said) as raised:
            indexer.parsed(path)
        assert raised.value.code == "answer.unreadable"
    assert indexer.parsed(real / "a.txt").passages


def test_the_parsers_are_loaded_in_the_other_process_alone() -> None:
    imported = ("assistant.answer.ingest.parser_client", "assistant.answer.ingest.formats.suffixes")
    program = f"import sys, {', '.join(imported)}; print(*sys.modules)"
    told = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert "assistant.answer.ingest.parser_client" in told.split()
    assert {"bs4", "icalendar", "pypdf", "vobject"}.isdisjoint(told.split())


def test_closing_leaves_no_process(file: Path) -> None:
    file.write_text("loop")
    with ParserClient(Limits(cpu_s=60), HOSTILE) as indexer:
        indexer.begin(file)
        pid = indexer.pid
        assert pid is not None
        while len(_group(pid)) < 2:
            time.sleep(0.02)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # not even a zombie
    _await(lambda: _group(pid) == [])


def test_one_killed_between_two_files_is_started_again(attacked: ParserClient, file: Path) -> None:
    assert _asked(attacked, file, "nothing") == "done and well"
    assert attacked.pid is not None
    os.kill(attacked.pid, 9)
    os.waitid(os.P_PID, attacked.pid, os.WEXITED | os.WNOWAIT)
    assert _asked(attacked, file, "nothing") == "done and well"


def test_one_that_another_has_reaped_is_started_again(attacked: ParserClient, file: Path) -> None:
    assert _asked(attacked, file, "nothing") == "done and well"
    assert attacked.pid is not None
    os.kill(attacked.pid, 9)
    os.waitpid(attacked.pid, 0)
    assert _asked(attacked, file, "nothing") == "done and well"


@pytest.mark.parametrize("order_is_read", [True, False])
def test_one_that_ends_with_a_file_in_hand_is_started_again(
    attacked: ParserClient, file: Path, order_is_read: bool
) -> None:
    assert _asked(attacked, file, "nothing") == "done and well"
    parser = attacked.pid or 0
    if not order_is_read:
        os.kill(parser, signal.SIGSTOP)
    file.write_text("sleep")
    attacked.begin(file)
    if order_is_read:
        _await(lambda: len(_group(parser)) == 2)
    os.kill(parser, signal.SIGKILL)
    os.waitid(os.P_PID, parser, os.WEXITED | os.WNOWAIT)
    with pytest.raises(AnswerError) as raised:
        _polled(attacked)
    told = "manual.txt waits: the indexer ended"
    assert (raised.value.code, raised.value.message) == ("answer.indexer", told)
    assert attacked.pid is None
    assert _asked(attacked, file, "nothing") == "done and well"


def test_a_child_that_the_kernel_kills_was_too_large(attacked: ParserClient, file: Path) -> None:
    assert _asked(attacked, file, "nothing") == "done and well"
    file.write_text("sleep")
    attacked.begin(file)
    parser = attacked.pid or 0
    _await(lambda: len(_group(parser)) == 2)
    (child,) = set(_group(parser)) - {str(parser)}
    os.kill(int(child), signal.SIGKILL)
    with pytest.raises(AnswerError) as raised:
        _polled(attacked)
    told = "manual.txt was given up by the kernel, which was short of memory"
    assert (raised.value.code, raised.value.message) == ("answer.memory", told)
    assert _asked(attacked, file, "nothing") == "done and well"


def test_one_that_does_not_start_is_tried_twice(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        tried.append(_descriptors())
        raise OSError(errno.ENOMEM, "no memory")

    tried: list[int] = []
    before = _descriptors()
    with ParserClient(LIMITS, HOSTILE) as indexer:
        with monkeypatch.context() as patched:
            patched.setattr(subprocess, "Popen", refuse)
            with pytest.raises(AnswerError) as raised:
                _asked(indexer, file, "nothing")
        told = "manual.txt waits: the indexer does not start"
        assert (raised.value.code, raised.value.message) == ("answer.indexer", told)
        assert len(tried) == 2
        assert tried[0] == tried[1]
        assert _descriptors() == before
        assert _asked(indexer, file, "nothing") == "done and well"


def test_the_process_says_what_it_does_and_ends_with_the_line() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        limits = msgspec.json.encode(LIMITS).decode()
        line = theirs.fileno()
        command = (*parser_client.PROGRAM, str(line), str(os.getpid()), limits, HOSTILE)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(command, pass_fds=(line,), env=environment) as process:
            theirs.close()
            ours.settimeout(60)
            assert msgspec.msgpack.decode(ours.recv(LARGEST_PACKET_BYTES), type=Ready)
            ours.close()
            assert process.wait(60) == 0


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _polled(indexer: ParserClient, wait_s: float = 1.0) -> ParsedFile:
    while (found := indexer.poll(wait_s)) is None:
        pass
    return found


def _asked(indexer: ParserClient, file: Path, action: str) -> str:
    file.write_text(action)
    return indexer.parsed(file).document.sections[0].text


def _await(holds: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def _group(leader: int) -> list[str]:
    """The living processes of a group."""
    found = []
    for facts in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, group = facts.read_text().rpartition(")")[2].split()[:3]
            if int(group) == leader and state != "Z":
                found.append(facts.parent.name)
    return found


def _book(chapter: str) -> bytes:
    files = {
        "META-INF/container.xml": '<rootfile full-path="a.opf"/>',
        "a.opf": '<dc:title>A book</dc:title><item id="a" href="a.html" media-type="text/html"/>'
        '<itemref idref="a"/>',
        "a.html": chapter,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            book.writestr(name, text)
    return out.getvalue()
