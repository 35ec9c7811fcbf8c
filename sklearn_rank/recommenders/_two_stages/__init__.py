"""Two stages: models find candidates, and a ranker puts them in order."""
