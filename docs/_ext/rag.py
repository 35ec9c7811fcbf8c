"""The picture of two retrievers in the tutorial on RAG, from the blocks of its page."""

import re
from pathlib import Path

import matplotlib.pyplot as plt

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import MetricAtKDisplay

# Sphinx runs this file in its folder.
page = Path("../tutorial_rag.rst").read_text(encoding="utf-8")
blocks = page[: page.index("3. Compare")]
code = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", blocks, re.MULTILINE)
collection: dict = {}
exec("\n".join(code), collection)
figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for name in ("words", "vectors"):
    rows = from_item_lists(collection["gold"], collection["runs"][name])
    MetricAtKDisplay.from_predictions(
        **rows, metrics="recall", k=10, name=name, replace_undefined_by=float("nan"), ax=ax
    )
