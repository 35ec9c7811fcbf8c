"""A length of time is no list."""

from sklearn_rank.model_selection import TimeSplit

print(TimeSplit(test_size="28D"))
print(TimeSplit(test_size=["28D"]))  # wrong
