"""Alarms: at a time or on the days of a rule, with or without a name."""

from __future__ import annotations

from assistant.skill import Skill
from skills.alarms import asking, changing, moving, ringing, setting

skill = Skill("alarms", description="wake you at a time")
skill.rule(
    "make", "(set|set up|make|create|add|give me|put on|put|schedule|i need|i want|i would like)"
)
skill.rule("an", "(a|an|the|my|another|one more|new|a new)")
skill.rule("wake", "(wake|get) (me|us) [up]")
skill.rule("which", "([the|my|our|that] [{clock}|{name}|{day}|next|other]|{day}'s) alarm")
skill.rule("asked", "((the|my|our|that) [{name}|{day}|next|other]|{day}'s) alarm")
skill.rule("drop", "(cancel|delete|remove|drop|scrap|clear|forget|get rid of)")
skill.rule("where", "in [the|my] {area}")
skill.rule("ones", "(alarms|alarm clocks)")
skill.include(setting.skill, asking.skill, changing.skill, ringing.skill, moving.skill)
