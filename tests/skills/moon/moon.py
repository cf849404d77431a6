"""A skill of a third party: a question and an act."""

from assistant.skill import Reply, Skill, Traits

skill = Skill("moon", api=1, description="watch the moon")


@skill.intent("MoonPhase", "which phase is the moon in", traits=Traits(asks=True))
def phase() -> Reply:
    """Say what the moon looks like tonight."""
    return Reply("It is half a moon.")


@skill.intent("PointTelescope", "(point|aim) [the] telescope at the moon")
def point() -> Reply:
    """Point the telescope at the moon."""
    return Reply("It points at the moon.")
