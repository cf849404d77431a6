"""Questions from a file, answers to a file: every answer once, in order, whatever happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.core.errors import InputError, StorageError
from assistant.documents.answer_file import AnswerFile
from assistant.documents.batch import AT_ONCE, answer_rest, count, read
from assistant.documents.workers import Reply
from tests.support import batches
from tests.support.batches import Echo, faults, work_off, write_questions

QUESTIONS = ["Where is the filter?", 'What does "E 04" mean?', "Wie heißt der Händler? \u2028", "?"]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "questions.jsonl", QUESTIONS)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


def refusal(questions: Path, out: Path) -> str:
    with pytest.raises(InputError) as caught:
        work_off(questions, out)
    return caught.value.message


def test_a_line_of_the_answers(asked: Path, out: Path) -> None:
    figures = work_off(asked, out)
    assert json.loads(out.read_bytes().splitlines()[0]) == {
        "id": "q0",
        "question": "Where is the filter?",
        "answer": "?retlif eht si erehW",
        "tier": "extracted",
        "sentence": "",
        "title": "",
        "place": "",
        "source": "/notes.txt",
        "certainty": 0.0,
    }
    assert list(faults(asked, out)) == []
    assert (figures.questions, figures.continued, figures.tiers) == (4, 0, {"extracted": 4})


def test_killed_at_any_moment_every_answer_is_there_once_and_in_order(tmp_path: Path) -> None:
    asked = write_questions(tmp_path / "questions.jsonl", [f"What is {n}?" for n in range(800)])
    out = tmp_path / "answers.jsonl"
    command = (sys.executable, batches.__file__, asked, out, "8", "1")
    environment = {**os.environ, "PYTHONPATH": str(Path(batches.__file__).parents[2])}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    left = [int(line) for line in told.stdout.split()]
    assert len(left) == 8
    assert len(set(left)) > 4  # they were killed at work
    assert left[-1] < 800
    assert list(faults(asked, out)) == []


def test_cut_off_at_any_byte_it_goes_on_to_the_same_end(
    asked: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "assistant.documents.answer_file.os.fdatasync", lambda _: None
    )  # hundreds of them
    work_off(asked, out)
    whole = out.read_bytes()
    for length in range(len(whole)):
        out.unlink()  # over the old content ext4 would write it through to the disk
        out.write_bytes(whole[:length])
        answerer = Echo()
        figures = work_off(asked, out, answerer)
        assert out.read_bytes() == whole
        assert figures.continued == whole[:length].count(b"\n")
        assert answerer.asked == QUESTIONS[figures.continued :]
        assert figures.tiers == {"extracted": 4}


def test_a_lost_or_repeated_answer_would_be_noticed(asked: Path, out: Path) -> None:
    # The control of the tests above.
    work_off(asked, out)
    first, second, *rest = out.read_bytes().splitlines(keepends=True)
    for wrong in ([first, *rest], [first, first, second, *rest], [second, first, *rest]):
        out.write_bytes(b"".join(wrong))
        assert list(faults(asked, out)) != []


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "q0", "question": "Where is the filter?"}\n',  # the questions themselves
        "some notes of mine, without an end of line",
        '{"id":"q0","question":"Where is the fan?","answ',
        "\n",
        '{"id":"q1","question":',
    ],
)
def test_a_file_of_something_else_is_left_as_it_is(asked: Path, out: Path, text: str) -> None:
    out.write_text(text)
    assert f"{out}:1: is no answer to the question in that place" in refusal(asked, out)
    assert out.read_text() == text


def test_answers_to_other_questions_are_refused(asked: Path, out: Path) -> None:
    work_off(asked, out)
    before = out.read_bytes()
    other = write_questions(asked.with_name("other.jsonl"), [*QUESTIONS[:2], "And you?"])
    assert f"{out}:3: is no answer" in refusal(other, out)
    shorter = write_questions(asked.with_name("shorter.jsonl"), QUESTIONS[:3])
    assert f"{out}:4: is no answer" in refusal(shorter, out)
    assert out.read_bytes() == before


def test_questions_that_came_since_are_answered_as_well(asked: Path, out: Path) -> None:
    work_off(asked, out)
    write_questions(asked, [*QUESTIONS, "And this?"])
    assert work_off(asked, out).continued == 4
    assert list(faults(asked, out)) == []


def test_plain_strings_and_questions_without_an_id_have_their_line_s_number(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf"Who?"\r\n\r\n{"question": "When?", "answers": []}\n'
        b'{"id": 7, "question": "Why?"}'
    )
    assert [(one.id, one.question) for one in read(file)] == [
        (1, "Who?"),
        (3, "When?"),
        (7, "Why?"),
    ]
    assert count(file) == (3, 0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Who was it?", "malformed"),
        ('{"id": 1}', "question"),
        ('{"id": 1.5, "question": "Who?"}', "$.id"),
        ('["Who?"]', "array"),
        ('"  "', "the question is empty"),
        ('{"question": "Who', "truncated"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(
    tmp_path: Path, out: Path, line: str, words: str
) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f'"Who?"\n{line}\n"When?"\nno\n')
    message = refusal(file, out)
    assert message.startswith(f"{file}:2: ")
    assert words in message
    assert message.endswith("(1 more lines are wrong)")
    assert not out.exists()


def test_what_cannot_be_read_or_written(tmp_path: Path, asked: Path, out: Path) -> None:
    empty, pipe = tmp_path / "empty.jsonl", tmp_path / "pipe"
    empty.write_text("\n\n")
    os.mkfifo(pipe)
    assert "holds no question" in refusal(empty, out)
    assert "no such file" in refusal(tmp_path / "none.jsonl", out)
    assert "come from a file" in refusal(tmp_path, out)
    assert "come from a file" in refusal(pipe, out)
    assert "Is a directory" in refusal(asked, tmp_path)
    assert "No such file" in refusal(asked, tmp_path / "none" / "answers.jsonl")
    assert "answers go to a file" in refusal(asked, Path("/dev/null"))
    assert not out.exists()


def test_two_batches_never_write_the_same_file(asked: Path, out: Path) -> None:
    with AnswerFile(out):
        assert "another batch writes it" in refusal(asked, out)
    assert not out.exists()
    work_off(asked, out)


def test_a_full_disk_leaves_whole_lines_to_go_on_from(
    asked: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(asked, [f"What is {n}?" for n in range(3 * AT_ONCE)])
    write, room = os.write, [7000]

    def fills(descriptor: int, content: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        written = write(descriptor, content[: room[0]])
        room[0] -= written
        return written

    with monkeypatch.context() as patched:
        patched.setattr("assistant.documents.answer_file.os.write", fills)
        with pytest.raises(StorageError, match="No space left on device"):
            work_off(asked, out)
    assert out.read_bytes().endswith(b"\n")
    assert work_off(asked, out).continued == AT_ONCE
    assert list(faults(asked, out)) == []


def test_many_are_worked_on_at_once_and_never_too_many(asked: Path, out: Path) -> None:
    class Together(Echo):
        def answer(self, question: str) -> Callable[[], Reply]:
            begun.append(question)
            at_once.append(len(begun))
            reply = super().answer(question)

            def wait() -> Reply:
                begun.remove(question)
                return reply()

            return wait

    begun: list[str] = []
    at_once: list[int] = []
    write_questions(asked, [f"What is {n}?" for n in range(2 * AT_ONCE + 5)])
    work_off(asked, out, Together())
    assert max(at_once) == AT_ONCE
    assert list(faults(asked, out)) == []


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """Three questions, the second and third in recordings."""
    for name in ("where is the filter", "silence"):
        soundfile.write(tmp_path / f"{name}.flac", np.zeros(1600, np.int16), 16_000)
    lines = (
        '{"id": "a", "question": "Who?"}',
        '{"id": "b", "recording": "where is the filter.flac"}',
        '{"id": "c", "recording": "silence.flac"}',
    )
    file = tmp_path / "spoken.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_recordings_are_heard_and_then_answered(spoken: Path, out: Path) -> None:
    figures = work_off(spoken, out)
    written, heard, silent = (json.loads(line) for line in out.read_bytes().splitlines())
    assert "recording" not in written
    assert (heard["recording"], heard["question"]) == (
        "where is the filter.flac",
        "where is the filter",
    )
    assert heard["answer"] == "retlif eht si erehw"
    assert (silent["question"], silent["answer"], silent["tier"]) == ("", "", "unheard")
    assert figures.tiers == {"extracted": 2, "unheard": 1}
    assert count(spoken) == (3, 2)


def test_recordings_are_gone_on_from_at_any_byte(
    spoken: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.documents.answer_file.os.fdatasync", lambda _: None)
    work_off(spoken, out)
    whole = out.read_bytes()
    for length in range(len(whole)):
        out.unlink()
        out.write_bytes(whole[:length])
        assert work_off(spoken, out).continued == whole[:length].count(b"\n")
        assert out.read_bytes() == whole
    other = spoken.read_text().replace("silence", "where is the filter")
    spoken.write_text(other)
    assert f"{out}:3: is no answer" in refusal(spoken, out)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"recording": "none.flac"}', "none.flac: no such file"),
        ('{"recording": "spoken.jsonl"}', "is not audio"),
        ('{"recording": "silence.flac", "question": "Who?"}', "is a question and a recording"),
    ],
)
def test_a_recording_that_cannot_be_heard_is_named_first(
    spoken: Path, out: Path, line: str, words: str
) -> None:
    spoken.write_text(f"{spoken.read_text()}{line}\n")
    assert words in refusal(spoken, out)
    assert not out.exists()


def test_progress_begins_where_the_last_run_ended(asked: Path, out: Path) -> None:
    work_off(asked, out)
    write_questions(asked, [*QUESTIONS, *("How?" for _ in range(AT_ONCE + 1))])
    told: list[tuple[int, int]] = []
    with AnswerFile(out) as answers:
        answers.resume(read(asked))
        answer_rest(asked, answers, Echo(), 37, lambda done, total: told.append((done, total)))
    assert told == [(4, 37), (36, 37), (37, 37)]
