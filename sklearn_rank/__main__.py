"""`python -m sklearn_rank`, the same as the console script `sklearn-rank`."""

from sklearn_rank._cli import run_program

if __name__ == "__main__":
    run_program()
