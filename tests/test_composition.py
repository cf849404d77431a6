"""The stages as the settings describe them."""

from __future__ import annotations

import gc
import logging
import weakref
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from assistant.answer.ingest.formats.contacts import parse
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import cut
from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.documents.messages import Phrase, Phrased
from assistant.core.errors import ConfigError
from assistant.core.layout import KNOWLEDGE_FILE, STATE_FILE
from assistant.core.messages import Work, concrete
from assistant.core.models.manifest import Library
from assistant.core.settings.mpd import PLAYER, MpdSettings
from assistant.core.settings.mpris import MprisSettings
from assistant.core.settings.sensors import SensorsSettings
from assistant.core.settings.skills import SkillsSettings
from assistant.serving.processes import STAGES, consumers
from skills.state import open_state

GOOD = """
from assistant.skill import Context, Reply, Request, Skill
skill = Skill("{name}", api=1)
skill.rule("endless", "very <endless>")

@skill.intent("{name}", "{sentence}")
def act(request: Request, context: Context) -> Reply:
    return Reply("Done.")
"""
PROJECT = """
[project]
name = "{name}"
[project.entry-points."assistant.skills"]
{name} = "{name}"
"""


def skill_folder(folder: Path, name: str, sentence: str) -> str:
    folder = folder / name
    folder.mkdir()
    (folder / f"{name}.py").write_text(GOOD.format(name=name, sentence=sentence))
    (folder / "pyproject.toml").write_text(PROJECT.format(name=name))
    return str(folder)


def with_skills(*folders: str) -> Composition:
    return Composition(msgspec.structs.replace(Config(), skills=SkillsSettings(folders=folders)))


def test_a_skill_with_a_sentence_that_does_not_compile_is_left_out_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = skill_folder(tmp_path, "paint", "paint the fence")
    bad = skill_folder(tmp_path, "fly", "fly <endless> far")
    with caplog.at_level(logging.WARNING):
        composition = with_skills(good, bad)
        assert composition.understanding.templates.accepts("paint the fence")
    assert [fault.skill for fault in composition.registry.faults] == ["fly"]
    assert "(skill.refused)" in caplog.text


def test_it_is_left_out_where_nothing_is_understood_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    composition = with_skills(skill_folder(tmp_path, "fly", "fly <endless> far"))
    assert [fault.skill for fault in composition.registry.faults] == ["fly"]
    assert "fly" not in {manifest.name for manifest in composition.registry.manifests}
    assert composition.understanding.templates.accepts("what time is it")
    assert caplog.text.count("(skill.refused)") == 1


def test_every_work_message_has_one_consumer() -> None:
    claimed = [kind for stage in STAGES.values() for kind in stage.consumes]
    work = [kind for kind in claimed if issubclass(kind, Work)]
    assert len(work) == len(set(work))
    # What the workers of a hub ask its generator, which the daemon has within its answers.
    assert set(consumers()) == set(concrete(Work)) - {Phrase, Phrased}


def test_two_consumers_of_one_work_type_are_noticed() -> None:
    # The control of the test above.
    once, twice = {"a": STAGES["nlu"]}, {"a": STAGES["nlu"], "b": STAGES["nlu"]}
    assert consumers(once).keys() == consumers(twice).keys()
    assert sum(len(stage.consumes) for stage in twice.values()) > len(STAGES["nlu"].consumes)


def test_a_time_zone_that_does_not_exist_is_one_clear_error() -> None:
    config = msgspec.structs.replace(Config(), home=HomeSettings(time_zone="Mars/Base"))
    with pytest.raises(ConfigError, match="Mars/Base"):
        Composition(config).now  # noqa: B018


def test_a_replaced_stages_models_go_with_it() -> None:
    composition = Composition(Config(), library=Library(Path("/nowhere")))
    knowledge = composition.answering.knowledge(None)
    stage = composition.answer(knowledge)
    assert composition.answering.phraser is not None
    encoder = weakref.ref(composition.answering.encoder)
    gc.disable()  # it may be long until circles are looked for, and a model is large
    try:
        del composition, stage
        assert encoder() is None
    finally:
        gc.enable()
        knowledge.close()


def test_where_there_is_a_player_the_home_has_it_and_music_is_understood(tmp_path: Path) -> None:
    storage = StorageSettings(state=str(tmp_path))
    silent = Composition(Config(storage=storage))
    assert "music" not in {manifest.name for manifest in silent.registry.manifests}
    assert PLAYER not in {entity.id for entity in silent.home.entities}
    mpd = MpdSettings(host="localhost", name="Stereo", area="hall")
    musical = Composition(Config(storage=storage, mpd=mpd))
    assert "music" in {manifest.name for manifest in musical.registry.manifests}
    (player,) = (entity for entity in musical.home.entities if entity.id == PLAYER)
    assert (player.name, player.area) == ("Stereo", "hall")


def test_the_sessions_players_are_one_of_the_home_and_play_nothing_by_name(tmp_path: Path) -> None:
    storage = StorageSettings(state=str(tmp_path))
    found = Composition(Config(storage=storage, mpris=MprisSettings(on=True, area="study")))
    (player,) = (entity for entity in found.home.entities if entity.id == "media_player.mpris")
    assert (player.name, player.area) == ("Computer", "study")
    assert "music" not in {manifest.name for manifest in found.registry.manifests}


def test_a_player_that_the_homes_file_names_keeps_its_name(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(f"entities:\n  - {{name: Kitchen Speaker, id: {PLAYER}}}\n")
    config = Config(home=HomeSettings(file=str(file)), mpd=MpdSettings(host="localhost"))
    assert [entity.name for entity in Composition(config).home.entities] == ["Kitchen Speaker"]


FEED_HOME = """
areas: [{name: Kitchen, id: kitchen}]
entities:
  - {name: Harbour Post, id: event.harbour_post}
  - {name: Kitchen Light, id: light.kitchen, area: kitchen}
"""


def test_news_is_told_where_there_is_a_feed(tmp_path: Path) -> None:
    def served(**settings: object) -> bool:
        registry = Composition(msgspec.structs.replace(Config(), **settings)).registry
        return "news" in [manifest.name for manifest in registry.manifests]

    assert not served()
    assert not served(skills=SkillsSettings(settings={"news": {"feeds": {}}}))
    assert served(skills=SkillsSettings(settings={"news": {"feeds": {"A": "http://a.example"}}}))
    file = tmp_path / "home.yaml"
    file.write_text(FEED_HOME)
    assert served(home=HomeSettings(file=str(file)))


SENSORS = """
sensors:
  - {id: freezer, name: temperature, of: the freezer, topic: home/freezer}
"""


def test_sensors_are_spoken_of_where_a_file_lists_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def composed(file: Path | None) -> Composition:
        settings = SensorsSettings(file=str(file or ""))
        return Composition(msgspec.structs.replace(Config(), sensors=settings))

    def served(composition: Composition) -> bool:
        return "sensors" in [manifest.name for manifest in composition.registry.manifests]

    file = tmp_path / "sensors.yaml"
    file.write_text(SENSORS)
    assert not served(composed(None))
    assert served(composed(file))
    with closing(open_state(None)) as state:
        stage = composed(file).skills(state)
        assert [one.id for one in stage._sensors.described.sensors] == ["freezer"]
        assert caplog.text == ""
        file.write_text("sensors: 3")
        assert composed(file).skills(state)._sensors.described.sensors == ()
        assert "(sensors.malformed)" in caplog.text


def test_the_name_of_a_feed_is_none_of_a_device(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(FEED_HOME)
    home = HomeSettings(file=str(file))
    composition = Composition(msgspec.structs.replace(Config(), home=home))
    assert [one.name for one in composition.home.entities] == ["Harbour Post", "Kitchen Light"]
    known = composition.understanding.sentences.home.entities
    assert [one.name for one in known] == ["Kitchen Light"]


def test_recognition_is_given_what_the_user_keeps(tmp_path: Path) -> None:
    config = msgspec.structs.replace(Config(), storage=StorageSettings(state=str(tmp_path)))
    composition = Composition(config)
    assert composition.own_texts() == ()
    with closing(open_state(tmp_path / STATE_FILE)) as state:
        state.execute("INSERT INTO list_items (id, list_id, text) VALUES ('1', 'a', 'gochujang')")
        state.execute("INSERT INTO made_lists (name) VALUES ('Trossachs')")
        state.execute("INSERT INTO plans VALUES ('1', '{\"said\": \"ring Caoimhe\"}')")
        state.execute("INSERT INTO alarms VALUES ('1', '{\"name\": \"pay Szymon\"}')")
    card = "BEGIN:VCARD\nVERSION:3.0\nFN:Zuzanna Nowak\nTEL:0123\nEND:VCARD\n"
    with closing(Knowledge(tmp_path / KNOWLEDGE_FILE)) as knowledge:
        people = parse("people.vcf", card.encode())
        knowledge.sources.add(
            *(Path("people.vcf"), "1", people.title, people.kind, list(cut(people)))
        )
    kept = {"gochujang", "Trossachs", "ring Caoimhe", "pay Szymon", "Zuzanna Nowak"}
    assert kept <= set(composition.own_texts())
