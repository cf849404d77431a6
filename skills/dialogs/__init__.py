"""How what was said becomes a dialog with the skills."""
