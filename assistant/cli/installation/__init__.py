"""The commands around an installation: its first set-up, its backup, and that put back."""
