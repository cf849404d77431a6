"""Acting on what was committed: once, in order, on disk before it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import SkillError
from assistant.core.messages import (
    AnswerTask,
    Commit,
    Fact,
    Interpretation,
    NothingHeard,
    OpenQuestion,
    Question,
    SpokenReply,
    Summarise,
    WordFacts,
)
from assistant.skill import Ask, Cancelled, Confirm, Context, Dialog, Reply, Skill
from skills.registry import Registry
from skills.revisions import Revisions
from skills.stage import DIALOG_S
from tests.support.talking import Talk, command

TIME = command("HassGetCurrentTime")
PASTA = command("HassStartTimer", duration=600, name="pasta")


def interpreted(name: str, revision: int, *commands: object) -> Interpretation:
    return Interpretation(
        utterance_id=name,
        revision=revision,
        text="some words",
        commands=commands,  # type: ignore[arg-type]
    )


def test_a_committed_command_is_answered(talk: Talk) -> None:
    assert talk.hear("what time is it", TIME) == [
        SpokenReply(utterance_id="u1", text="It's 6:30 pm.", intent="HassGetCurrentTime")
    ]


def test_what_was_not_understood_is_told_after_what_was_done(talk: Talk) -> None:
    said = msgspec.structs.replace(interpreted("u1", 0, PASTA), missed="hens out")
    replies = [*talk.feed(said), *talk.feed(Commit(utterance_id="u1", revision=0))]
    reply = next(one for one in replies if isinstance(one, SpokenReply))
    assert reply.text.endswith('starting now. I didn\'t understand "hens out".')
    assert reply.acted
    assert not reply.done


def test_an_action_says_that_it_acted(talk: Talk) -> None:
    assert talk.hear("set a pasta timer for ten minutes", PASTA) == [
        SpokenReply(
            utterance_id="u1",
            text="Pasta timer for ten minutes, starting now.",
            intent="HassStartTimer",
            acted=True,
        )
    ]


def test_nothing_happens_before_the_commit(talk: Talk) -> None:
    assert talk.feed(interpreted("u", 1, PASTA)) == []
    assert talk.timers() == 0


def test_the_commit_may_come_before_its_interpretation(talk: Talk) -> None:
    assert talk.feed(Commit(utterance_id="u", revision=2)) == []
    assert talk.feed(interpreted("u", 1, PASTA)) == []
    assert len(talk.feed(interpreted("u", 2, PASTA))) == 1
    assert talk.timers() == 1


def test_only_the_committed_revision_is_acted_on(talk: Talk) -> None:
    talk.feed(interpreted("u", 1, PASTA))
    talk.feed(interpreted("u", 2, TIME))
    (reply,) = talk.feed(Commit(utterance_id="u", revision=2))
    assert isinstance(reply, SpokenReply)
    assert reply.intent == "HassGetCurrentTime"
    assert talk.timers() == 0


def test_an_utterance_is_acted_on_once(talk: Talk) -> None:
    talk.feed(interpreted("u", 1, PASTA))
    talk.feed(Commit(utterance_id="u", revision=1))
    assert talk.feed(Commit(utterance_id="u", revision=1)) == []
    assert talk.feed(interpreted("u", 1, PASTA)) == []
    assert talk.timers() == 1


def test_also_when_the_process_was_killed_in_between(talk: Talk) -> None:
    talk.feed(interpreted("u", 1, PASTA))
    talk.feed(Commit(utterance_id="u", revision=1))
    talk.restart()
    talk.feed(interpreted("u", 1, PASTA))
    assert talk.feed(Commit(utterance_id="u", revision=1)) == []
    assert talk.timers() == 1


@given(st.permutations(["hold 1", "hold 2", "hold 2", "commit 2", "commit 2", "hold 3"]))
def test_whatever_the_order_the_committed_revision_is_released_at_most_once(
    order: list[str],
) -> None:
    revisions, released = Revisions(), []
    for step in order:
        kind, number = step.split()
        found = (
            revisions.hold(interpreted("u", int(number)))
            if kind == "hold"
            else revisions.commit(Commit(utterance_id="u", revision=int(number)))
        )
        released += [found.revision] if found else []
    assert released in ([2], [])
    committed_before_3 = order.index("commit 2") < order.index("hold 3")
    if committed_before_3 and order.index("hold 2") < order.index("hold 3"):
        assert released == [2]


def test_revisions_are_forgotten_in_the_end() -> None:
    revisions = Revisions()
    for number in range(1000):
        revisions.hold(interpreted(f"u{number}", 1))
        revisions.commit(Commit(utterance_id=f"v{number}", revision=1))
    assert revisions.commit(Commit(utterance_id="u1", revision=1)) is None
    assert revisions.commit(Commit(utterance_id="u999", revision=1)) is not None


def test_several_commands_are_carried_out_in_order_with_one_reply(talk: Talk) -> None:
    assert talk.hear("pasta timer and what time is it", PASTA, TIME) == [
        SpokenReply(
            utterance_id="u1",
            text="Pasta timer for ten minutes, starting now. It's 6:30 pm.",
            intent="HassStartTimer",
            acted=True,
        )
    ]


def test_what_no_skill_claims_is_a_question(talk: Talk) -> None:
    assert talk.hear("order a pizza", nearest="set a pizza timer") == [
        Question(
            utterance_id="u1",
            text="order a pizza",
            task=OpenQuestion(nearest="set a pizza timer"),
        )
    ]


def test_nothing_heard_is_no_question(talk: Talk) -> None:
    assert talk.hear("") == []
    assert talk.feed(NothingHeard(utterance_id="u9")) == []


# ── dialogs ─────────────────────────────────────────────────────────────────────────────────


def test_a_missing_slot_is_asked_for_and_the_answer_taken(talk: Talk) -> None:
    assert talk.hear("set a timer", command("HassStartTimer")) == [
        SpokenReply(utterance_id="u1", text="For how long?", intent="HassStartTimer", listen=True)
    ]
    assert talk.timers() == 0
    assert talk.say("five minutes") == "Timer for five minutes, starting now."
    assert talk.timers() == 1


@pytest.mark.parametrize("words", ["stop", "Cancel", "never mind", "nevermind", "forget it"])
def test_a_dialog_is_cancelled_by_word(talk: Talk, words: str) -> None:
    talk.ask("HassStartTimer")
    assert talk.say(words) == "Okay, never mind."
    assert isinstance(talk.hear("five minutes")[0], Question)


def test_or_by_the_intent_of_cancelling(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    assert talk.say("oh just drop it", command("HassNevermind")) == "Okay, never mind."


def test_or_by_silence(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    (reply,) = talk.feed(NothingHeard(utterance_id="u2"))
    assert reply == SpokenReply(
        utterance_id="u2", text="Okay, never mind.", intent="HassStartTimer"
    )
    assert talk.feed(NothingHeard(utterance_id="u3")) == []


def test_or_by_an_utterance_without_words(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    assert talk.say("") == "Okay, never mind."


def test_another_command_drops_the_question(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    assert talk.say("what time is it", TIME) == "It's 6:30 pm."
    assert isinstance(talk.hear("five minutes")[0], Question)


def test_a_command_that_no_skill_knows_is_no_answer_either(talk: Talk) -> None:
    asked = talk.ask("HassShoppingListAddItem", item="")
    assert asked == "What shall I put on your shopping list?"
    told = talk.say("eggs", command("Nowhere"))
    assert told == 'I understood "nowhere", but I can\'t do that yet.'
    assert talk.database.execute("SELECT text FROM list_items") == []


def test_what_is_no_answer_is_asked_again_once(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    assert talk.say("purple") == "Sorry, I didn't get that. For how long?"
    assert talk.say("green") == "Okay, never mind."
    assert talk.stage.deadline_s() is None


@pytest.mark.parametrize(
    "text", ["how old is the dog", "mummy the cat is on the table again"], ids=["asks", "is long"]
)
def test_what_is_clearly_about_something_else_drops_the_question(talk: Talk, text: str) -> None:
    talk.ask("HassStartTimer")
    (question,) = talk.hear(text)
    assert isinstance(question, Question)
    assert question.text == text
    assert talk.stage.deadline_s() is None


def test_an_answer_after_the_second_asking_is_taken(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    talk.say("purple")
    assert talk.say("five minutes") == "Timer for five minutes, starting now."


def test_a_question_lapses(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    assert talk.stage.deadline_s() == talk.at_s + DIALOG_S
    assert talk.wait(DIALOG_S) == []
    assert isinstance(talk.hear("five minutes")[0], Question)


def test_commands_after_a_question_wait_for_its_answer(talk: Talk) -> None:
    commands = TIME, command("HassStartTimer"), command("HassGetCurrentDate")
    assert talk.say("all of it", *commands) == "It's 6:30 pm. For how long?"
    told = talk.say("five minutes")
    assert told == "Timer for five minutes, starting now. It's Monday, January 5, 2026."


def test_cancelling_leaves_the_rest_out_and_keeps_what_was_done(talk: Talk) -> None:
    talk.say("both", PASTA, command("HassStartTimer"), command("HassGetCurrentDate"))
    assert talk.say("cancel") == "Okay, never mind."
    assert talk.timers() == 1


# ── what is left to the answering ───────────────────────────────────────────────────────────

sensor = Skill("sensor")


@sensor.intent("Warm", "how warm is it")
def warm() -> Reply:
    return Reply("It is 21 degrees.", facts={"temperature": "21 degrees"})


@sensor.intent("Manual", "what does the manual say")
def manual() -> Reply:
    return Reply("There is no manual.", task=Summarise(name="manual"))


@pytest.mark.parametrize(
    ("intent", "task", "fallback"),
    [
        (
            "Warm",
            WordFacts(facts=(Fact(name="temperature", value="21 degrees"),)),
            "It is 21 degrees.",
        ),
        ("Manual", Summarise(name="manual"), "There is no manual."),
    ],
)
def test_what_a_skill_leaves_to_the_answering_is_asked_unless_more_is_said(
    talks: Callable[..., Talk], intent: str, task: AnswerTask, fallback: str
) -> None:
    registry = Registry()
    registry.add("sensor", lambda: sensor)
    talk = talks(registry=registry)
    assert talk.hear("say it", command(intent)) == [
        Question(utterance_id="u1", text="say it", task=task, intent=intent, fallback=fallback)
    ]
    assert talk.say("both", command(intent), command(intent)) == f"{fallback} {fallback}"


# ── skills that fail ────────────────────────────────────────────────────────────────────────

flaky = Skill("flaky")


@flaky.intent("Act", "act")
def act(context: Context) -> Reply:
    context.home.set_state("light.ceiling", "on")
    raise ZeroDivisionError("the user's secret words")


@flaky.intent("Talk", "talk")
def talk_on(context: Context) -> Dialog:
    if (yield Confirm("Shall I fail?")):
        context.home.set_state("light.ceiling", "on")
        raise KeyError("secret")
    try:
        yield Ask("What then?", str)
    except Cancelled:
        raise RuntimeError("secret") from None
    return Reply("Good.")


@pytest.fixture
def failing(talks: Callable[..., Talk]) -> Talk:
    registry = Registry()
    registry.add("flaky", lambda: flaky)
    return talks(registry=registry, broker=True)


def test_a_failing_skill_is_named_and_leaves_nothing_behind(failing: Talk) -> None:
    with pytest.raises(SkillError, match='skill "flaky", intent Act: ZeroDivisionError') as fault:
        failing.hear("act", command("Act"))
    assert "secret" not in fault.value.message
    assert failing.state("light.ceiling") == "off"
    assert failing.hear("act") == [Question(utterance_id="u2", text="act")]


def test_a_commit_seen_again_does_not_try_again(failing: Talk) -> None:
    failing.feed(interpreted("u", 1, command("Act")))
    with pytest.raises(SkillError):
        failing.feed(Commit(utterance_id="u", revision=1))
    assert failing.feed(Commit(utterance_id="u", revision=1)) == []


@pytest.mark.parametrize("answers", [["yes"], ["no", "stop"]])
def test_a_dialog_that_fails_is_closed(failing: Talk, answers: list[str]) -> None:
    failing.hear("talk", command("Talk"))
    for answer in answers[:-1]:
        failing.hear(answer)
    with pytest.raises(SkillError, match="flaky"):
        failing.hear(answers[-1])
    assert failing.state("light.ceiling") == "off"
    assert failing.stage.deadline_s() is None
    assert isinstance(failing.hear("yes")[0], Question)


def test_an_intent_of_no_skill_is_told(failing: Talk) -> None:
    told = failing.say("nowhere", command("Nowhere"))
    assert told == 'I understood "nowhere", but I can\'t do that yet.'


# ── a damaged memory ────────────────────────────────────────────────────────────────────────


def test_a_damaged_state_file_is_told_once_at_the_start(talk: Talk, tmp_path: Path) -> None:
    talk.database.close()
    assert talk.path is not None
    talk.path.write_bytes(b"damaged " * 1000)
    talk.open()
    (told,) = talk.wait(1)
    assert isinstance(told, SpokenReply)
    assert told.text.startswith("My memory was damaged.")
    assert talk.wait(1000) == []
    assert talk.ask("HassGetCurrentTime") == "It's 6:46 pm."


def test_a_sound_one_is_not(talk: Talk) -> None:
    talk.restart()
    assert talk.wait(1) == []


@pytest.mark.parametrize("first", ["interpretation", "commit"])
def test_an_utterance_during_a_reload_is_not_lost(talk: Talk, first: str) -> None:
    messages = [interpreted("u1", 0, TIME), Commit(utterance_id="u1", revision=0)]
    if first == "commit":
        messages.reverse()
    assert talk.feed(messages[0]) == []
    talk.rebuild()
    (reply,) = talk.feed(messages[1])
    assert isinstance(reply, SpokenReply)
