"""What goes in and out of the gateway, as its OpenAPI describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from assistant.core.messages import (
    Command,
    Interpretation,
    SlotValue,
    SpokenReply,
    Transcript,
    Word,
)

Area = Annotated[str, Field(max_length=200, description='Id of the room; "" for none.')]


class Call(BaseModel):
    """What every call may name."""

    model_config = ConfigDict(extra="forbid")

    area: Area = ""
    budget_s: Annotated[
        float, Field(gt=0, le=60, description="Answer 503 where more than this is predicted.")
    ] = 30.0


class TextRequest(Call):
    """A text that somebody said or typed."""

    text: Annotated[str, Field(min_length=1, max_length=5_000)]


class SummariseRequest(Call):
    """What is to be summarised, such as "the cleaning chapter of the oven manual"."""

    name: Annotated[str, Field(min_length=1, max_length=500)]
    words: Annotated[int | None, Field(ge=1, le=1_000, description="Most words; null for few.")] = (
        None
    )


class CommandModel(BaseModel):
    """One intent with its slots."""

    intent: str
    slots: dict[str, SlotValue]
    confidence: float
    text: str

    @classmethod
    def of(cls, command: Command) -> CommandModel:
        """A command as it is sent."""
        return cls(
            intent=command.intent,
            slots={slot.name: slot.value for slot in command.slots},
            confidence=command.confidence,
            text=command.text,
        )


class InterpretReply(BaseModel):
    """What a text means: no commands where nothing was understood."""

    text: str
    commands: list[CommandModel]
    missed: str
    choices: list[str]

    @classmethod
    def of(cls, meant: Interpretation) -> InterpretReply:
        """An interpretation as it is sent."""
        return cls(
            text=meant.text,
            commands=[CommandModel.of(command) for command in meant.commands],
            missed=meant.missed,
            choices=[choice.sentence for choice in meant.choices],
        )


class WordModel(BaseModel):
    """A word and where it is in the sound."""

    text: str
    start_s: float
    end_s: float
    confidence: float

    @classmethod
    def of(cls, word: Word) -> WordModel:
        """A word as it is sent."""
        return cls(
            text=word.text, start_s=word.start_s, end_s=word.end_s, confidence=word.confidence
        )


class HearReply(InterpretReply):
    """What was said, and what it means."""

    transcript: str
    transcript_confidence: float
    words: list[WordModel]

    @classmethod
    def heard(cls, said: Transcript, meant: Interpretation | None) -> HearReply:
        """A transcript as it is sent, with its interpretation where that was wished for."""
        if meant is None:
            meant = Interpretation(utterance_id=said.utterance_id, revision=0, text=said.text)
        return cls(
            **InterpretReply.of(meant).model_dump(),
            transcript=said.text,
            transcript_confidence=said.confidence,
            words=[WordModel.of(word) for word in said.words],
        )


class Sentence(BaseModel):
    """One sentence of an answer, with the document that it is from and the place there."""

    text: str
    done: bool
    more: bool
    title: str = ""
    place: str = ""

    @classmethod
    def of(cls, reply: SpokenReply) -> Sentence:
        """A reply as it is sent."""
        found = reply.found
        return cls(
            text=reply.text,
            done=reply.done,
            more=reply.more,
            title=found.title if found is not None else "",
            place=found.place if found is not None else "",
        )


class AnswerReply(BaseModel):
    """An answer; `done` is false where the documents have none."""

    text: str
    done: bool
    title: str = ""
    place: str = ""

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> AnswerReply:
        """Its sentences as one."""
        last = sentences[-1]
        text = " ".join(sentence.text for sentence in sentences)
        return cls(text=text, done=last.done, title=last.title, place=last.place)


class ModelState(BaseModel):
    """A model that the stages may use."""

    name: str
    version: str
    state: str
    on_trial: str = ""
    """Another version that works on a share of the requests; "" for none."""


class Problem(BaseModel):
    """Why a call was refused."""

    code: str
    message: str


MOST_FLAWS = 3
"""Most flaws of a request that are told."""
_FIELDS = frozenset(TextRequest.model_fields) | frozenset(SummariseRequest.model_fields)


def flaws(errors: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with a request, by pydantic's errors, in a line without what was given.

    Only our own fields are named: another's name is of the request.
    """
    told = []
    for error in errors[:MOST_FLAWS]:
        named = [place for place in error["loc"] if place in _FIELDS or place == "intents"]
        told.append(f"{'.'.join(map(str, named)) or 'the body'}: {error['msg']}")
    if more := len(errors) - len(told):
        told.append(f"and {more} more")
    return "; ".join(told)
