"""Models that every other one has to beat: popular, random and repeated items."""
