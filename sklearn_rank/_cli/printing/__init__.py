"""What users are told: paragraphs, notes, progress and errors."""
