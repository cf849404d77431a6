"""Lists and notes: what to buy, what to do, and what to remember."""

from __future__ import annotations

from assistant.skill import Skill
from skills.home.lists import adding, making, notes, reading, taking
from skills.home.lists.forms import NAMED_LIST

skill = Skill("home")
skill.rule("put", "(put|add|stick|pop|get|write|chuck|throw|bung|note [down]|jot [down])")
skill.rule("whole", "(whole|full|entire|complete)")
skill.rule(
    "shopping",
    "[the|my|our] [<whole>] (shopping [list]|groceries|(grocery|groceries|food) list)",
)
skill.rule("list", "[the|my|our|that|this] [<whole>] list")
skill.rule("listed", NAMED_LIST)
skill.rule("onto", "(on|to|onto|down on|in|back on|back onto)")
skill.rule("named", "(it|that|this|them|those|these)")
skill.rule("stuff", "(stuff|things|bits|ingredients|supplies)")
skill.rule("tick", "(tick|cross|check|strike|mark|scratch)")
skill.rule("used_up", "(finished|out|gone|empty|used up|all gone|running low|running out|low)")
skill.rule("too", "(too|as well|also|then|again|instead|please)")
skill.rule("and", "(and|also|plus|oh and|and also|and some|and maybe)")
skill.include(adding.skill, taking.skill, reading.skill, making.skill, notes.skill)
