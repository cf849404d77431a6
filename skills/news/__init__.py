"""The news, from the feeds that the settings or Home Assistant name."""

from __future__ import annotations

from assistant.skill import Skill
from skills.news import telling
from skills.news.sources import NewsSettings, names

NAME = "news"

skill = Skill(NAME, description="tell the news", settings=NewsSettings)
skill.given_names("feed")(names)
skill.include(telling.skill)
