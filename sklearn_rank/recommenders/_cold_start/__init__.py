"""ColdStartRecommender and the features that it reads."""
