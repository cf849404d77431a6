"""Timers: several at once, with or without a name."""

from __future__ import annotations

from assistant.skill import Skill
from skills.timer import changing, moving, naming, running, starting

skill = Skill("timer", description="set timers")
skill.rule(
    "start",
    "(set|set up|start|create|make|begin|put on|run|give me|i need|i want)",
)
skill.rule("where", "in [the|my] {area}")
skill.rule(
    "which",
    "(the|my|that) [{start_duration}|{name}|{area}] timer [called {name}|named {name}] [<where>]",
)
skill.rule("by_name", "{text:name} [timer|one|ones]")
skill.rule("misheard", "(time her|time or|time a|timer her|tie more|dimer|tymer)")
skill.rule(
    "warn",
    "(tell me|let me know|warn me|remind me|alert me|notify me|shout|call me|ping me|nudge me|say"
    "|beep|give me a (shout|call|nudge|warning|heads up))",
)
skill.rule("left", "(left|remaining)")
skill.rule("it", "(it|that|this|that one|this one|that timer|this timer|the timer)")
skill.rule("drop", "(cancel|stop|delete|remove|end|kill|drop|scrap|bin|ditch|lose|get rid of)")
skill.rule("pause", "(pause|hold|freeze|stop the clock on)")
skill.rule("resume", "(unpause|resume|continue|restart|carry on with|go on with)")
skill.include(starting.skill, running.skill, changing.skill, naming.skill, moving.skill)
