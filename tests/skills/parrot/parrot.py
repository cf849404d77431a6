"""A skill whose reply holds what nobody but the user may say to any effect."""

from assistant.skill import Reply, Skill

skill = Skill("parrot", api=1, description="talk like a parrot")


@skill.intent("Parrot", "talk like a parrot")
def talk() -> Reply:
    """Say the wake word and "stop"."""
    return Reply(
        "To begin, say computer, and tell me what to do. To end, say stop, and I am quiet. "
        "I can go on like this for a long while, and nobody will be any the wiser for it."
    )
