"""Rolls a die: a whole third-party skill."""

import random

from assistant.skill import Reply, Skill

skill = Skill("dice", api=1, description="roll dice")


@skill.intent("RollDice", "(roll|throw) [a|the] (die|dice)", "roll {sides} sided dice")
def roll(sides: int = 6) -> Reply:
    """Roll one die."""
    return Reply(f"You rolled {random.randint(1, sides)}.")
