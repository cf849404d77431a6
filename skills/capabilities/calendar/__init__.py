"""The calendar that is changed by voice: its file, and what is still to be written there."""
