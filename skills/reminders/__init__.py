"""Reminders: words of the user's own, said at their time."""

from __future__ import annotations

from assistant.skill import Skill
from skills.reminders import changing, setting

skill = Skill("reminders", description="remind you of things")
skill.rule("remind", "(remind|nudge)")
skill.rule("make", "(set|make|add|create|give me|put in|i need|i want)")
skill.rule("drop", "(cancel|delete|remove|drop|scrap|clear|forget|get rid of)")
skill.include(setting.skill, changing.skill)
