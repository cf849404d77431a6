"""The weather as it is now, and as the home's weather device foretells it, day by day."""

from __future__ import annotations

from assistant.skill import Skill
from skills.home.weather import forecast, now

skill = Skill("home")
skill.rule("out", "(outside|out|outdoors|out there)")
skill.rule("outside", "(outside|out|outdoors|out there|now|right now|at the moment|here)")
skill.rule("will_it", "(will it|is it going to|is it meant to|is it supposed to|might it)")
skill.rule("we", "(i|we|the kids|the children|he|she|they)")
skill.rule("late", "(at all|later|later on|outside)")
skill.include(now.skill, forecast.skill)
