"""What a household says to the device itself: how loud it speaks, whether it hears, its upkeep."""

from __future__ import annotations

from assistant.skill import Skill
from skills.device import answering, speaking, upkeep

skill = Skill("device", description="speak louder or quieter")
skill.include(speaking.skill, answering.skill, upkeep.skill)
