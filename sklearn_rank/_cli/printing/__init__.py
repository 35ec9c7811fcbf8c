"""Output for users: paragraphs, notes, progress and errors."""
