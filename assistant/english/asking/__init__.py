"""English of questions: what they ask for, and what they name."""
