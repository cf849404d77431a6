"""What authors of skills work with: a new package, its tests, its check, and reload on save."""
