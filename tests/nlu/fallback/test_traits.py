"""What a skill says of its intents decides how they are guessed at, and no name does."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest, Traits
from nlu.classifier.examples import IntentLabel
from nlu.classifier.intent import Belief, Ranking
from nlu.classifier.tagger import TaggedSpan, Tagging
from nlu.fallback.guesser import Guesser
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import NO_VOCABULARY, Vocabulary, built_in
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical
from skills.registry import load_registry
from tests.support.believing import guesses
from tests.support.grammars import manifests

MOON = Path(__file__).parents[2] / "skills" / "moon"
INDIRECT = ("who knows which phase that moon is in by now", "i wonder which phase that moon is in")
"""Questions that are asked indirectly, as in talk; they match no sentence."""


@pytest.fixture(scope="module")
def moon() -> SkillManifest:
    (manifest,) = load_registry([MOON], builtin=False).manifests
    return manifest


def guesser(manifest: SkillManifest, intent: str, tagging: Tagging = Tagging()) -> Guesser:  # noqa: B008
    templates = Templates.compile((manifest,), Home())
    ranking = Ranking(0.95, (Belief(IntentLabel(intent), 0.95),))
    return guesses(templates, ranking, tagging)


def without_traits(manifest: SkillManifest) -> SkillManifest:
    silent = (msgspec.structs.replace(schema, traits=Traits()) for schema in manifest.intents)
    return msgspec.structs.replace(manifest, intents=tuple(silent))


@pytest.mark.parametrize("question", INDIRECT)
def test_a_third_partys_question_is_no_act(
    moon: SkillManifest, now: datetime, question: str
) -> None:
    command = guesser(moon, "MoonPhase")(canonical(question), now)
    assert command is not None
    assert command.intent == "MoonPhase"
    assert guesser(moon, "PointTelescope")(canonical(question), now) is None
    assert guesser(without_traits(moon), "MoonPhase")(canonical(question), now) is None


def test_a_question_may_be_about_a_time_and_an_act_is_not_done_before_it(
    moon: SkillManifest, now: datetime
) -> None:
    said = canonical("moon phase next friday")
    friday = Tagging((TaggedSpan("date", 2, 4, 0.9),))
    asked = guesser(moon, "MoonPhase", friday)(said, now)
    assert asked is not None
    assert asked.confidence == 0.95
    (acted,) = guesser(without_traits(moon), "MoonPhase", friday).guesses(said, now)
    assert acted.weight < 0.1


def test_it_points_back_to_what_an_intent_is_about(moon: SkillManifest, now: datetime) -> None:
    about = (msgspec.structs.replace(s, traits=Traits(thing="moon")) for s in moon.intents)
    for manifest, understood in (
        (msgspec.structs.replace(moon, intents=tuple(about)), ["MoonPhase", "PointTelescope"]),
        (moon, []),
    ):
        interpreter = Interpreter(Templates.compile((manifest,), Home()))
        read = interpreter(canonical("which phase is the moon in and aim the telescope at it"), now)
        assert [command.intent for command in read.commands] == understood


CLEAN = "HassVacuumCleanArea"


@pytest.mark.parametrize("vocabulary", [built_in(), NO_VOCABULARY], ids=["vocabulary", "none"])
def test_what_serves_an_intent_says_what_it_is(moon: SkillManifest, vocabulary: Vocabulary) -> None:
    (phase, _) = moon.intents
    forecast = msgspec.structs.replace(phase, intent=CLEAN, traits=Traits(whole=True))
    served = msgspec.structs.replace(moon, served=(forecast,))
    for manifest, traits in ((served, Traits(whole=True)), (moon, Traits())):
        templates = Templates.compile((manifest,), Home(), vocabulary)
        known = traits if vocabulary.blocks else Traits()
        assert templates.traits(CLEAN) == known


def test_the_questions_of_the_built_in_skills_say_that_they_are_some() -> None:
    schemas = [s for m in manifests() for s in (*m.intents, *m.served)]
    asking = {s.intent for s in schemas if s.traits.asks and not s.traits.only_talk}
    assert asking == {
        *("HassGetCurrentTime", "HassGetCurrentDate", "HassGetState", "HassTimerStatus"),
        *("HassClimateGetTemperature", "ReadLevel", "HassNevermind", "Repeat", "Undo"),
        *("CalendarPlans", "DocumentNotes", "DocumentSource", "DocumentSummary", "PlannedList"),
        *("IsDoNotDisturb", "AlarmStatus", "WakingTime", "ReminderStatus", "WhenReminded"),
        *("Calculate", "ConvertUnits", "SpellWord", "TellJoke"),
        *("ListRoutines", "HelpRoutines"),
        *("FindFreeTime", "IsTimeFree", "MusicNames", "MusicThere", "WhatIsPlaying"),
        "GetNews",
        *("IsListening", "AssistantVersion", "SpeakingVolume"),
        *("WhyWasThatSlow", "WhatWasUnderstood", "SensorsWrong"),
    }


def test_every_intent_of_the_vocabulary_is_served_by_a_skill_that_says_what_it_is() -> None:
    served = {s.intent for m in manifests() for s in (*m.intents, *m.served)}
    assert {block.intent for block in built_in().blocks} <= served
