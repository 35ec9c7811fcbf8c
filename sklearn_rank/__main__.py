"""`python -m sklearn_rank`, the same as the console script `sklearn-rank`."""

import sys

from sklearn_rank._cli import main

if __name__ == "__main__":
    sys.exit(main())
