"""English of commands: the words for what is done, to what, how much and when."""
