"""How words are spelled."""

from __future__ import annotations

from assistant.skill import Reply, Skill, Traits

_MOST_LETTERS = 40

skill = Skill("sums")


@skill.intent(
    "SpellWord",
    "how (do|would|can) (you|i|we) spell {word}",
    "[can you|could you] spell [the word] {word} [for me]",
    "how is {word} (spelled|spelt)",
    "what is the spelling of {word}",
    traits=Traits(asks=True, unmistakable=True),
)
def spell_word(word: str) -> Reply:
    """Spell a word, or a few, letter by letter."""
    parts = [[letter.upper() for letter in part if letter.isalnum()] for part in word.split()]
    if sum(map(len, parts)) > _MOST_LETTERS:
        return Reply("That is too long to spell aloud.", done=False)
    return Reply("; ".join(", ".join(part) for part in parts if part) + ".")
