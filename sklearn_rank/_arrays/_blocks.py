"""Sizes of blocks: the arrays of a block should stay in the processor's cache.

A larger block leaves the cache, and each pass over it waits for the memory; a smaller one
costs a call of each function more often. The best sizes are not sharp: half or twice as
much costs a few percent. Work with several arrays has smaller blocks.
"""

# Values that are read, compared or copied.
VALUES = 2**15
# Rows that are sorted together, unless one query has more.
SORTED_ROWS = 2**15
# Ranked rows that metrics work on, about.
RANKED_ROWS = 2**16
# Scores of long lists that are searched for the first ranks.
LIST_CELLS = 2**18
# Places of tied rows, unless one block of ties has more.
TIED_PLACES = 2**13
# Entries of two sides that are matched, unless one user has more.
MATCHED_ENTRIES = 2**16
# Rows of Python objects whose ids are read.
OBJECTS = 128
# Bytes of strings that are turned around, and comparisons of their parts.
STRING_BYTES = 2**20
STRING_COMPARISONS = 2**18
# Bytes of the scores of users for all items.
SCORE_BYTES = 2**23
# Chances of ranks in a sample for ranks in the catalogue.
CHANCES = 2**21
# Multiplications of a product of sparse matrices, unless one row has more.
PRODUCTS = 2**23
