"""What passes between the command line and the answers about documents."""
