"""Which spans the messages of an utterance make, as OpenTelemetry's own classes read them."""

from __future__ import annotations

import pytest

from assistant.control.traces.otlp import Exporter
from assistant.control.traces.spans import Span, spans_of
from assistant.core.messages import (
    Command,
    Commit,
    Generated,
    Interpretation,
    Message,
    PlaybackStarted,
    Question,
    SpokenReply,
    StageFailed,
    Transcript,
    Woke,
)
from assistant.core.traces.ids import trace_id_of
from tests.support.otlp import facts_of, parsed, spans_in, uncovered_s
from tests.support.utterances import utterance

EPOCH_NS = 1_700_000_000_000_000_000
WOKE = Woke(at_s=8.6, utterance_id="u", wake_word="computer")
HEARD = utterance(at_s=10.1)  # 2 s long; the last speech was at 10.0
WRITTEN = Transcript(at_s=10.15, utterance_id="u", revision=0, text="lamp on", engine="whisper")
LAMP_ON = Command(intent="HassTurnOn")
MEANT = Interpretation(
    at_s=10.16, utterance_id="u", revision=0, text="lamp on", commands=(LAMP_ON,)
)
DECIDED = Commit(at_s=10.2, utterance_id="u", revision=0)
REPLY = SpokenReply(at_s=10.23, utterance_id="u", text="It is on.", intent="HassTurnOn")
PLAYED = PlaybackStarted(at_s=10.4, utterance_id="u", made_at_s=10.3)
USUAL = (WOKE, HEARD, WRITTEN, MEANT, DECIDED, REPLY, PLAYED)


def times(*events: Message) -> dict[str, tuple[float, float, str]]:
    """Span → begin and end, since the utterance's begin, and parent."""
    spans = spans_of(events, "generator")
    zero_s = spans[0].begins_s
    return {
        one.name: (round(one.begins_s - zero_s, 3), round(one.ends_s - zero_s, 3), one.parent)
        for one in spans
    }


def test_an_utterance_has_a_span_for_each_stage_and_for_the_wait_for_its_end() -> None:
    assert times(*USUAL) == {
        "utterance": (0.0, 2.3, ""),
        "wake word": (0.0, 0.5, "utterance"),
        "listening": (0.5, 1.9, "utterance"),
        "end of speech": (1.9, 2.1, "utterance"),
        "recognition": (2.0, 2.05, "end of speech"),
        "understanding": (2.05, 2.06, "end of speech"),
        "skill": (2.1, 2.13, "utterance"),
        "synthesis": (2.13, 2.2, "utterance"),
        "playback": (2.2, 2.3, "utterance"),
    }


def test_what_is_understood_after_the_decision_is_a_part_beside_it() -> None:
    hurried = Commit(at_s=10.12, utterance_id="u", revision=0)
    found = times(WOKE, HEARD, WRITTEN, MEANT, hurried, REPLY, PLAYED)
    assert found["end of speech"] == (1.9, 2.02, "utterance")
    assert found["recognition"] == (2.0, 2.05, "utterance")
    assert found["understanding"] == (2.05, 2.06, "utterance")
    assert found["skill"] == (2.06, 2.13, "utterance")


def test_each_pause_is_tried_and_the_decision_is_about_one() -> None:
    early = (
        utterance(at_s=9.3, speech_ended_at_s=9.2, duration_s=1.2, revision=0),
        Transcript(at_s=9.35, utterance_id="u", revision=0, text="lamp"),
    )
    later = (
        utterance(at_s=10.1, revision=1),
        Transcript(at_s=10.15, utterance_id="u", revision=1, text="lamp on"),
        Commit(at_s=10.3, utterance_id="u", revision=1),
    )
    spans = spans_of((WOKE, *early, *later), "generator")
    tries = {one.number: one.parent for one in spans if one.name == "recognition"}
    assert tries == {0: "listening", 1: "end of speech"}
    assert [one.ends_s for one in spans if one.name == "listening"] == [10.0]


def test_what_a_generator_words_is_told_by_opentelemetrys_names() -> None:
    question = Question(at_s=10.25, utterance_id="u", text="what lamp")
    worded = Generated(at_s=10.5, utterance_id="u", began_at_s=10.3, tokens=17)
    reply = SpokenReply(at_s=10.5, utterance_id="u", text="The blue one.")
    played = PlaybackStarted(at_s=10.7, utterance_id="u", made_at_s=10.6)
    events = (WOKE, HEARD, WRITTEN, MEANT, DECIDED, question, worded, reply, played)
    found = times(*events)
    assert found["skill"][1] == found["answer"][0] == 2.15
    assert found["text_completion generator"] == (2.2, 2.4, "answer")
    (span,) = (one for one in spans_of(events, "generator") if one.parent == "answer")
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "text_completion",
        "gen_ai.provider.name": "hark",
        "gen_ai.request.model": "generator",
        "gen_ai.usage.output_tokens": 17,
    }
    # The rest of a summary is worded while its first sentence is heard.
    late = Generated(at_s=11.5, utterance_id="u", began_at_s=10.3, tokens=90)
    events = (WOKE, HEARD, WRITTEN, MEANT, DECIDED, question, late, reply, played)
    assert "text_completion generator" not in times(*events)


def test_a_fault_is_that_of_its_stage_and_of_the_whole() -> None:
    fault = StageFailed(
        at_s=10.3, utterance_id="u", stage="voice", code="voice.dead", message="it died"
    )
    spans = spans_of((*USUAL, fault), "generator")
    assert {one.name: one.error for one in spans if one.error} == {
        "utterance": "voice.dead",
        "synthesis": "voice.dead",
    }


def test_of_several_parts_of_a_process_the_last_has_its_fault() -> None:
    fault = StageFailed(
        at_s=10.3, utterance_id="u", stage="audio", code="audio.gone", message="it is gone"
    )
    spans = spans_of((*USUAL, fault), "generator")
    assert [one.name for one in spans if one.error] == ["utterance", "playback"]


def test_the_whole_ends_with_the_last_of_its_parts_where_nobody_replied() -> None:
    hurried = Commit(at_s=10.12, utterance_id="u", revision=0)
    found = times(WOKE, HEARD, WRITTEN, MEANT, hurried)
    assert found["understanding"] == (2.05, 2.06, "utterance")
    assert found["utterance"] == (0.0, 2.06, "")


def test_speech_that_was_over_before_its_wake_word_was_noticed_has_no_negative_time() -> None:
    late = Woke(at_s=10.1, utterance_id="u", wake_word="computer")
    spans = spans_of((late, *USUAL[1:]), "generator")
    assert all(one.begins_s <= one.ends_s for one in spans)
    assert [one.ends_s for one in spans if one.name == "listening"] == [10.1]


@pytest.mark.parametrize(
    "events",
    [
        (),
        (WOKE,),
        (utterance(at_s=10.1, unasked=True), WRITTEN, DECIDED),
    ],
    ids=["nothing", "a wake word alone", "talk of others after a reply"],
)
def test_what_is_no_utterance_has_no_spans(events: tuple[Message, ...]) -> None:
    assert spans_of(events, "generator") == ()


def test_what_others_say_after_a_reply_counts_where_it_is_replied_to() -> None:
    events = (utterance(at_s=10.1, unasked=True), WRITTEN, MEANT, DECIDED, REPLY, PLAYED)
    assert "skill" in {one.name for one in spans_of(events, "generator")}


def test_opentelemetrys_own_classes_read_a_line() -> None:
    line = Exporter().line("u", spans_of(USUAL, "generator"), EPOCH_NS)
    request = parsed(line)
    spans = spans_in(request)
    by_name = {one.name: one for one in spans.values()}
    root = by_name["utterance"]
    assert {one.trace_id.hex() for one in spans.values()} == {trace_id_of("u")}
    assert len(root.trace_id) == 16
    assert len(root.span_id) == 8
    assert len(spans) == len(by_name) == 9
    assert by_name["recognition"].parent_span_id == by_name["end of speech"].span_id
    assert by_name["skill"].parent_span_id == root.span_id
    assert root.start_time_unix_nano == EPOCH_NS + 8_100_000_000
    assert root.end_time_unix_nano == EPOCH_NS + 10_400_000_000
    assert root.kind == root.SPAN_KIND_INTERNAL
    (resource,) = request.resource_spans
    facts = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert facts["service.name"] == "hark"
    assert facts["service.version"]
    assert facts["host.name"]
    assert facts_of(root) == {
        "hark.process": "audio",
        "hark.utterance.id": "u",
        "hark.speech_s": 1.5,
        "hark.revision": 0,
        "hark.intent": "HassTurnOn",
    }
    assert uncovered_s(spans) < 1e-3


def test_the_measure_of_what_no_part_covers_finds_a_gap() -> None:
    gap = (Span("utterance", 1.0, 3.0, "audio", ""), Span("skill", 1.5, 3.0, "skills"))
    line = Exporter().line("u", gap, EPOCH_NS)
    assert uncovered_s(spans_in(parsed(line))) == pytest.approx(0.5)


def test_a_fault_is_a_status_and_an_error_type() -> None:
    line = Exporter().line("u", [Span("skill", 1.0, 2.0, "skills", "", error="s.bad")], EPOCH_NS)
    (span,) = spans_in(parsed(line)).values()
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert facts_of(span)["error.type"] == span.status.message == "s.bad"


def test_ids_follow_from_the_utterance_alone() -> None:
    one, same, other = (
        spans_in(parsed(Exporter().line(name, spans_of(USUAL, "generator"), at_ns)))
        for name, at_ns in (("u", EPOCH_NS), ("u", EPOCH_NS + 1), ("v", EPOCH_NS))
    )
    assert one.keys() == same.keys()
    assert not one.keys() & other.keys()


WORD = "zyzzyva"


def told(word: str) -> bytes:
    """The line of an utterance in which everything that holds words holds this one."""
    command = Command(intent="HassTurnOn", text=word)
    events: tuple[Message, ...] = (
        Woke(at_s=8.6, utterance_id="u", wake_word=word),
        utterance(at_s=10.1, wake_word=word),
        Transcript(at_s=10.15, utterance_id="u", revision=0, text=word, alternatives=(word,)),
        Interpretation(
            at_s=10.16, utterance_id="u", revision=0, text=word, commands=(command,), missed=word
        ),
        DECIDED,
        Question(at_s=10.2, utterance_id="u", text=word, fallback=word),
        SpokenReply(at_s=10.23, utterance_id="u", text=word),
        StageFailed(at_s=10.3, utterance_id="u", stage="voice", code="voice.x", message=word),
        PLAYED,
    )
    return Exporter().line("u", spans_of(events, "generator"), EPOCH_NS)


def test_no_word_of_what_was_said_is_in_a_line() -> None:
    assert WORD.encode() not in told(WORD)
    # The control: a word that a span holds is found in its line.
    planted = Span("skill", 1.0, 2.0, "skills", "", {"hark.text": WORD})
    assert WORD.encode() in Exporter().line("u", [planted], EPOCH_NS)
