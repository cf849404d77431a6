"""The spans of an utterance, from the messages about it: what took from when to when.

| span                       | from                         | to                                 |
|----------------------------|------------------------------|------------------------------------|
| utterance                  | the first sound of it        | the first sound of the reply       |
| · wake word                | the first sound of it        | it was noticed                     |
| · listening                | then                         | the last speech                    |
| · end of speech            | then                         | the decision that nothing follows  |
| · · recognition            | a possible end of the speech | its text                           |
| · · understanding          | the text                     | what it means                      |
| · skill                    | meaning and decision         | a reply, or a question             |
| · answer                   | the question                 | the reply                          |
| · · text_completion MODEL  | words are asked for          | they are there                     |
| · synthesis                | the reply                    | sound of its first sentence        |
| · playback                 | then                         | it is played                       |

Speech is recognised and understood at each pause, in what is then listening or the end of speech;
where the decision comes first, they are parts of the utterance beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from assistant.core.messages import (
    Commit,
    Generated,
    Interpretation,
    Message,
    PlaybackStarted,
    Question,
    SpokenReply,
    StageFailed,
    Transcript,
    Utterance,
    Woke,
)
from assistant.core.traces.ids import ROOT
from assistant.recordings.trace import decided, of_kind

Value = str | int | float | bool

_Revised = TypeVar("_Revised", Utterance, Transcript, Interpretation)


class Span(msgspec.Struct, frozen=True):
    """What took from `begins_s` to `ends_s` of CLOCK_BOOTTIME, as a part of the span `parent`."""

    name: str
    begins_s: float
    ends_s: float
    process: str
    parent: str = ROOT
    """Name of a span that there is once; "" for the whole."""
    attributes: Mapping[str, Value] = MappingProxyType({})
    number: int = 0
    """Tells those of one name apart."""
    error: str = ""
    """Code of the error that ended it."""


def spans_of(events: Sequence[Message], generator: str) -> tuple[Span, ...]:
    """The spans of one utterance, the whole first; () for what was not meant for the assistant.

    `events` are the messages about it, and `generator` names the model that words answers.
    """
    utterance = decided(events, Utterance)
    reply = next(of_kind(events, SpokenReply), None)
    # In the time after a reply others talk, and nobody replies to that.
    if utterance is None or (utterance.unasked and reply is None):
        return ()
    phases = tuple(_phases(events, utterance))
    facts: dict[str, Value] = {
        "hark.utterance.id": utterance.utterance_id,
        "hark.speech_s": utterance.speech_s,
        "hark.revision": utterance.revision,
    }
    if reply is not None and reply.intent:
        facts["hark.intent"] = reply.intent
    faults = {one.stage: one.code for one in of_kind(events, StageFailed)}
    parts = (*phases, *_attempts(events, phases), *_generated(events, phases, generator))
    in_order = sorted(parts, key=lambda span: span.begins_s)
    begins_s, ends_s = phases[0].begins_s, max(span.ends_s for span in parts)
    failed = next(iter(faults.values()), "")
    whole = Span(ROOT, begins_s, ends_s, "audio", "", facts, error=failed)
    return (whole, *(_marked(in_order, faults) if faults else in_order))


def _phases(events: Sequence[Message], utterance: Utterance) -> Iterator[Span]:
    """The parts that follow one another; what lies between two is in `_attempts`."""
    woke = next(of_kind(events, Woke), None)
    begins_s = utterance.at_s - utterance.duration_s
    if woke is not None:
        begins_s = min(begins_s, woke.at_s)
    if woke is not None and woke.wake_word:
        yield (phase := Span("wake word", begins_s, woke.at_s, "audio"))
        begins_s = phase.ends_s
    for name, process, ends_s in _ends(events, utterance):
        # Speech may be over before its wake word was noticed, and a decision before the meaning.
        ends_s = max(begins_s, ends_s)
        if name:
            yield Span(name, begins_s, ends_s, process)
        begins_s = ends_s


def _ends(events: Sequence[Message], utterance: Utterance) -> Iterator[tuple[str, str, float]]:
    """Each part after the wake word with its process and its end; "" is none that is waited for."""
    committed = next(of_kind(events, Commit), None)
    meant = decided(events, Interpretation)
    question = next(of_kind(events, Question), None)
    reply = next(of_kind(events, SpokenReply), None)
    played = next(of_kind(events, PlaybackStarted), None)
    yield "listening", "audio", utterance.speech_ended_at_s
    if committed is not None:
        yield "end of speech", "audio", committed.at_s
    if meant is not None:
        yield "", "", meant.at_s
    if question is not None:
        yield "skill", "skills", question.at_s
    if reply is not None:
        name, process = ("skill", "skills") if question is None else ("answer", "answer")
        yield name, process, reply.at_s
    if played is not None and played.made_at_s:
        yield "synthesis", "voice", played.made_at_s
    if played is not None:
        yield "playback", "audio", played.at_s


def _attempts(events: Sequence[Message], phases: Sequence[Span]) -> Iterator[Span]:
    """Recognition and understanding of each revision."""
    heard, meant = _firsts(events, Utterance), _firsts(events, Interpretation)
    for revision, written in _firsts(events, Transcript).items():
        facts: dict[str, Value] = {"hark.engine": written.engine}
        if revision in heard:
            yield _attempt("recognition", "asr", heard[revision], written, facts, phases)
        if revision in meant:
            facts = {"hark.commands": len(meant[revision].commands)}
            yield _attempt("understanding", "nlu", written, meant[revision], facts, phases)


def _attempt(
    name: str,
    process: str,
    before: Message,
    after: Transcript | Interpretation,
    facts: Mapping[str, Value],
    phases: Sequence[Span],
) -> Span:
    begins_s, ends_s = before.at_s, max(before.at_s, after.at_s)
    around = (one.name for one in phases if one.begins_s <= begins_s and ends_s <= one.ends_s)
    attributes = {"hark.revision": after.revision, **facts}
    number = after.revision
    return Span(name, begins_s, ends_s, process, next(around, ROOT), attributes, number)


def _firsts(events: Sequence[Message], kind: type[_Revised]) -> dict[int, _Revised]:
    """The first message of each revision."""
    return {one.revision: one for one in reversed(list(of_kind(events, kind)))}


def _generated(events: Sequence[Message], phases: Sequence[Span], model: str) -> Iterator[Span]:
    """What the generator worded for the first reply; what follows it is not waited for."""
    answer = next((one for one in phases if one.name == "answer"), None)
    made = next(of_kind(events, Generated), None)
    if answer is None or made is None:
        return
    if answer.begins_s <= made.began_at_s and made.at_s <= answer.ends_s:
        # https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
        facts: dict[str, Value] = {
            "gen_ai.operation.name": (what := "text_completion"),
            "gen_ai.provider.name": "hark",
            "gen_ai.request.model": model,
            "gen_ai.usage.output_tokens": made.tokens,
        }
        yield Span(f"{what} {model}", made.began_at_s, made.at_s, "answer", answer.name, facts)


def _marked(spans: Sequence[Span], faults: Mapping[str, str]) -> Iterator[Span]:
    """The spans, of which the last of each process that failed has its error."""
    last = {span.process: span for span in spans}
    for span in spans:
        failed = span.process in faults and last[span.process] is span
        yield msgspec.structs.replace(span, error=faults[span.process]) if failed else span
