"""The skill for the home: its devices, its lists, and announcements in it."""

from __future__ import annotations

from assistant.skill import Skill
from skills.home import (
    adjusting,
    announcing,
    climate,
    covers,
    fans,
    humidity,
    lights,
    lists,
    measures,
    media,
    modes,
    robots,
    states,
    switching,
    weather,
)

skill = Skill("home", description="turn lights and switches on and off")
skill.rule("turn", "(turn|switch|put)")
skill.rule("light", "(light|lights|lighting|lamp|lamps)")
skill.rule("where", "in [the|my] {area}")
skill.rule("every", "(all|all the|all of the|every)")
skill.rule("everywhere", "(everywhere|in the [whole] house|at home)")
skill.rule("set", "(set|change|turn|make|adjust|bring)")
skill.rule("percent", "{brightness} [percent|per cent]")
skill.include(switching.skill, lights.skill, states.skill, measures.skill)
skill.include(covers.skill, fans.skill, climate.skill, humidity.skill, modes.skill)
skill.include(media.skill, robots.skill)
skill.include(adjusting.skill, lists.skill, announcing.skill, weather.skill)
