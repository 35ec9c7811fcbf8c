"""Grades of several raters, and how well they agree."""
