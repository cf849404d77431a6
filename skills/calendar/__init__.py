"""The calendar, changed by voice: events added, moved and deleted, and the time between them."""

from __future__ import annotations

from assistant.skill import Skill
from skills.calendar import adding, asking, changing

skill = Skill("calendar", description="keep your calendar")
skill.rule("calendar", "(my|our|the) (calendar|diary|agenda|schedule)")
skill.rule("then", "({moment}|{period:moment}|{day}|{often})")
skill.rule("lasting", "for {duration}")
skill.rule("drop", "(cancel|delete|remove|call off)")
skill.rule("move", "(move|change|push|bring|reschedule|postpone)")
skill.rule("meeting", "(appointment|meeting|event|lesson)")
skill.rule("it", "(it|that|that one|that appointment|that meeting|that event)")
skill.include(adding.skill, changing.skill, asking.skill)
