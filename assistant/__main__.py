"""`python -m assistant`."""

from assistant.cli.main import main

main()
