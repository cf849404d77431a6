"""Backups: what belongs to one, the archive, and how it is put back."""
