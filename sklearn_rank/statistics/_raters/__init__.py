"""Grades of people and of a judge: means from few of them, and how far they agree."""
