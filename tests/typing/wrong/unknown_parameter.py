"""A parameter that is not there."""

from sklearn_rank.model_selection import LeaveLastOut

print(LeaveLastOut(n_splits=2))
print(LeaveLastOut(splits=2))  # wrong
