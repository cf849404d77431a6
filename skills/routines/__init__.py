"""Routines: commands under a name of the user's own, which carries all of them out."""

from __future__ import annotations

from assistant.skill import Skill
from skills.routines import changing, making, running
from skills.routines.kept import names

skill = Skill("routines", description="run routines of your own")
skill.rule("routine", "(routine|shortcut)")
skill.rule("make", "(make|create|set up|add|save|build|define|start|begin|i want|i need)")
skill.rule("run", "(run|start|do|play|activate|begin|carry out|perform|launch|trigger)")
skill.rule("drop", "(delete|remove|drop|forget|scrap|erase|get rid of)")
skill.rule("own", "[the|my|our]")
skill.given_names("name")(names)
skill.include(making.skill, running.skill, changing.skill)
