"""Everything a skill's author imports."""
