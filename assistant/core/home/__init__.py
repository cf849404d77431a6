"""What is said between the skills and the home."""
