"""The sensors of machines and rooms: what is wrong, since when, and how each is."""

from __future__ import annotations

from assistant.skill import Skill
from skills.sensors import asking, changing
from skills.sensors.naming import names

NAME = "sensors"

skill = Skill(NAME, description="tell what is wrong with your machines")
skill.rule("those", "(that|this|it|the alarm|this alarm|that alarm)")
skill.rule("all_well", "(okay|all right|alright|fine|well|in order|running well|as usual)")
skill.rule("things", "([the|my|our|any|all] (machines|sensors|readings))")
skill.given_names("machine")(names)
skill.include(asking.skill, changing.skill)
