"""Music of the home's player by its names: what is played, what is playing, what there is."""

from __future__ import annotations

from assistant.skill import Skill
from skills.music import asking, playing

NAME = "music"

skill = Skill(NAME, description="play music")
skill.include(playing.skill, asking.skill)
