"""An interpreter is built for the home and the room that its sentences have."""

from __future__ import annotations

import pytest

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.messages import Interpretation, Transcript
from assistant.skill.home import Area, Entity, Home
from nlu.text.canonical import canonical
from tests.support.simpler import Switched

VILLA = Home(
    areas=(Area(name="Orangery", id="orangery"),),
    entities=(Entity(id="light.globe", name="Globe", area="orangery", state="on"),),
)


@pytest.mark.usefixtures("sentences_alone")
def test_parts_are_composed_in_the_home_and_room_of_the_sentences() -> None:
    composition = Composition(temporary_config(None, None))
    there = composition.understanding.templates_of(VILLA).in_area("orangery")
    interpret = composition.understanding.interpreter(there)
    said = canonical("globe off and then everything in here but the globe on")
    off, on = interpret(said, composition.now()).commands
    assert [(slot.name, slot.value) for slot in off.slots] == [("name", "Globe")]
    assert ("area", "Orangery") in [(slot.name, slot.value) for slot in on.slots]
    assert [target.value for target in on.excluded] == ["Globe"]


def test_on_the_simpler_path_the_sentences_alone_are_understood() -> None:
    simpler = Switched()
    composition = Composition(temporary_config(None, None), simpler=simpler.path)
    stage = composition.nlu()

    def intents(text: str) -> list[str]:
        said = Transcript(utterance_id=text, revision=0, text=text, engine="")
        (meant,) = (one for one in stage.feed(said) if isinstance(one, Interpretation))
        return [command.intent for command in meant.commands]

    sentence, paraphrase = "what time is it", "could you let me know what hour it is"
    assert intents(sentence) == intents(paraphrase) == ["HassGetCurrentTime"]
    simpler.on()
    assert (intents(sentence), intents(paraphrase)) == (["HassGetCurrentTime"], [])
    simpler.off()
    assert intents(paraphrase) == ["HassGetCurrentTime"]
