"""Music of the home's player by its names: what is played, what is playing, what there is."""

from __future__ import annotations

from assistant.skill import Skill
from skills.music import asking, playing, stopping
from skills.music.heard import names
from skills.music.stations import Settings

NAME = "music"

skill = Skill(NAME, description="play music", settings=Settings)
skill.given_names("search_query")(names)
skill.include(playing.skill, asking.skill, stopping.skill)
