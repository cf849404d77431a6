"""What a tenant's stages are made of: its own home and skills, and nothing of the device's."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.composition import Composition
from assistant.core.config import Config, NluSettings, SkillsSettings, StorageSettings
from assistant.core.messages import Interpretation, Transcript
from assistant.core.models.manifest import Library
from assistant.hub.stages import NLU, config_of, makers
from assistant.hub.tenants import Tenant
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from benchmarks.endurance.versions import variant
from nlu.classifier.tagger import Tagger, Tagging
from nlu.fallback.guesser import Guesser
from nlu.stage import NluStage
from skills.registry import load_registry

WATERING = Path(__file__).parents[2] / "examples" / "skills" / "watering"

WORDS = ("turn", "on", "the", "lantern", "in", "the", "hall")
GRANTS = {"watering": ("storage", "announcements")}


def but_for(*skills: str) -> tuple[str, ...]:
    """All other skills."""
    return tuple(m.name for m in load_registry().manifests if m.name not in skills)


def meant(stage: NluStage, text: str) -> list[str]:
    said = Transcript(utterance_id="u", revision=0, text=text)
    told = [m for m in stage.feed(said) if isinstance(m, Interpretation)]
    return [command.intent for command in told[0].commands]


def test_each_tenant_has_its_own_skills_and_lacks_what_it_is_to_lack(tmp_path: Path) -> None:
    device = Config(
        storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path / "cache")),
        skills=SkillsSettings(disabled=("timer",)),
        nlu=NluSettings(models=False),
    )
    timer = Tenant(skills=(str(WATERING),), grants=GRANTS, without=but_for("timer"))
    school = Composition(config_of(device, "school", timer)).nlu()
    seaside = Composition(config_of(device, "seaside", Tenant(without=but_for("jokes")))).nlu()
    assert meant(school, "i watered the plants") == ["NoteWatering"]
    assert meant(school, "set a timer for five minutes") == ["HassStartTimer"]
    assert meant(school, "tell me a joke") == []
    assert meant(seaside, "i watered the plants") == []
    assert meant(seaside, "tell me a joke") == ["TellJoke"]


@pytest.mark.depth
def test_a_worker_has_the_pinned_version_whatever_is_in_use(tmp_path: Path) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path / "cache")))
    library = Library(config.models_dir)
    import_version(library, "ner", variant("ner", tmp_path / "made", 2), "2", lambda *_: None)
    few = Tenant(without=but_for("jokes"))
    put_in_use(library.choosing("ner", "2"), "ner")

    def tagged(pinned: str) -> Tagging:
        stage = makers(config, {"red": few}, {"ner": pinned})[NLU]("red")
        assert isinstance(stage, NluStage)
        assert isinstance(stage.guess, Guesser)
        tagger = stage.guess.model("ner")
        assert isinstance(tagger, Tagger)
        return tagger.tag(WORDS)

    assert tagged("1") == Tagger.load(library.choosing("ner", "1")).tag(WORDS)
    assert tagged("2") == Tagger.load(library.choosing("ner", "2")).tag(WORDS)
    assert tagged("1") != tagged("2")
