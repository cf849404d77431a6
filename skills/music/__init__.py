"""Music of the home's player by its names: what is played, what is playing, what there is."""

from __future__ import annotations

from assistant.skill import Skill
from skills.music import asking, playing
from skills.music.heard import names

NAME = "music"

skill = Skill(NAME, description="play music")
skill.given_names("search_query")(names)
skill.include(playing.skill, asking.skill)
