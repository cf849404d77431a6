"""What a stage goes on without: logged once, told once, and when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant.core.degraded import Degraded, SimplerPath
from assistant.core.errors import AnswerError, ModelError, RecognitionError
from assistant.core.messages import Simplify, StageFailed

CORRUPT = ModelError("model.corrupt", "weights are not as recorded")


def failed(part: str, code: str = "model.corrupt") -> StageFailed:
    message = "weights are not as recorded"
    return StageFailed(stage="nlu", code=code, message=message, part=part)


def test_each_part_is_logged_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    faults = Degraded("nlu")
    assert "ner" not in faults
    faults.note("ner", CORRUPT)
    faults.note("ner", ModelError("model.missing", "gone"))
    faults.note("intent", CORRUPT)
    assert "ner" in faults
    assert "reader" not in faults
    assert faults.take_reports() == [failed("ner"), failed("intent")]
    assert faults.take_reports() == []
    faults.note("ner", CORRUPT)
    assert faults.take_reports() == []
    told = "goes on without its ner: weights are not as recorded (model.corrupt)"
    assert caplog.records[0].message == f"nlu: {told}"
    assert len(caplog.records) == 2


@pytest.mark.parametrize("code", ["model.manifest", "model.no_manifest"])
def test_a_damaged_manifest_is_one_fault_whoever_finds_it(code: str) -> None:
    faults = Degraded("nlu")
    for part in ("ner", "intent"):
        faults.note(part, ModelError(code, "weights are not as recorded"))
    assert faults.take_reports() == [failed("manifest", code)]
    assert "manifest" in faults


def test_a_stage_without_words_tells_some_seconds_after_its_last_work() -> None:
    faults = Degraded("nlu")
    faults.note_work(5.0)
    assert faults.deadline_s() is None
    faults.note("ner", CORRUPT)
    assert faults.deadline_s() == 8.0
    faults.note_work(7.0)
    assert faults.deadline_s() == 10.0
    faults.take_reports()
    assert faults.deadline_s() is None


def test_before_any_work_there_is_nobody_to_tell() -> None:
    faults = Degraded("nlu")
    faults.note("ner", CORRUPT)
    assert faults.deadline_s() is None


def test_messages_end_where_a_model_fails_and_other_faults_are_raised() -> None:
    def broken(fault: Exception) -> Iterator[int]:
        yield 1
        raise fault

    faults = Degraded("nlu")
    assert list(faults.until_fault("ner", broken(CORRUPT))) == [1]
    assert faults.take_reports() == [failed("ner")]
    with pytest.raises(AnswerError):
        list(faults.until_fault("ner", broken(AnswerError("answer.none", "no answer"))))
    assert list(faults.until_fault("ner", iter([1, 2]))) == [1, 2]


def test_what_cannot_be_loaded_is_noted_and_raised() -> None:
    def broken() -> int:
        raise CORRUPT

    faults = Degraded("nlu")
    with pytest.raises(ModelError):
        faults.with_note("ner", broken)()
    assert faults.take_reports() == [failed("ner")]
    assert faults.with_note("intent", lambda: 7)() == 7
    assert faults.take_reports() == []


@pytest.mark.parametrize(
    "fault", [CORRUPT, RecognitionError("model.corrupt", "weights are not as recorded")]
)
def test_what_can_be_done_without_is_none(fault: ModelError | RecognitionError) -> None:
    def broken() -> int:
        raise fault

    faults = Degraded("nlu")
    assert faults.load_or_none("ner", broken) is None
    assert faults.take_reports() == [failed("ner")]
    assert faults.load_or_none("intent", lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        faults.load_or_none("intent", lambda: 1 // 0)


def test_a_simpler_path_ends_by_itself_or_when_that_is_said() -> None:
    now_s = [100.0]
    path = SimplerPath(lambda: now_s[0])
    faults = Degraded("nlu", path)
    assert not faults.simpler
    path.order(Simplify(stage="nlu", why="slow", for_s=60.0))
    now_s[0] += 59.0
    assert faults.simpler
    now_s[0] += 1.0
    assert not faults.simpler
    path.order(Simplify(stage="nlu", why="slow", for_s=60.0))
    path.order(Simplify(stage="nlu", why="slow", for_s=0.0))
    assert not faults.simpler
    assert faults.take_reports() == []
