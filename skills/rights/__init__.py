"""Who may what: what a room may not do, and what needs the spoken PIN."""
