"""What a tenant's stages are made of: its own home and skills, and nothing of the device's."""

from __future__ import annotations

from pathlib import Path

from assistant.composition import Composition
from assistant.core.config import Config, SkillsSettings, StorageSettings
from assistant.core.messages import Interpretation, Transcript
from assistant.hub.stages import config_of
from assistant.hub.tenants import Tenant

WATERING = Path(__file__).parents[2] / "examples" / "skills" / "watering"

GRANTS = {"watering": ("storage", "announcements")}


def meant(config: Config, text: str) -> list[str]:
    said = Transcript(utterance_id="u", revision=0, text=text)
    told = [m for m in Composition(config).nlu().feed(said) if isinstance(m, Interpretation)]
    return [command.intent for command in told[0].commands]


def test_each_tenant_has_its_own_skills_and_lacks_what_it_is_to_lack(tmp_path: Path) -> None:
    device = Config(
        storage=StorageSettings(state=str(tmp_path), cache=str(tmp_path / "cache")),
        skills=SkillsSettings(disabled=("timer",)),
    )
    school = config_of(
        device, "school", Tenant(skills=(str(WATERING),), grants=GRANTS, without=("jokes",))
    )
    seaside = config_of(device, "seaside", Tenant())
    assert meant(school, "i watered the plants") == ["NoteWatering"]
    assert meant(school, "set a timer for five minutes") == ["HassStartTimer"]
    assert "TellJoke" not in meant(school, "tell me a joke")
    assert "NoteWatering" not in meant(seaside, "i watered the plants")
    assert meant(seaside, "tell me a joke") == ["TellJoke"]
