"""How well questions are answered from documents."""
