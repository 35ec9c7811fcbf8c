"""Sphinx extension: a metric with its cutoff, such as ndcg@10, is no mail address."""

from docutils import nodes
from docutils.transforms import Transform


class UnlinkCutoffs(Transform):
    """Turn mail links, which docutils makes of text with an @ in it, back into text."""

    default_priority = 700

    def apply(self, **kwargs):
        """Replace each mail link by its text."""
        for link in list(self.document.findall(nodes.reference)):
            if link.get("refuri", "").startswith("mailto:"):
                link.replace_self(link.children)


def setup(app):
    """Add the transform to all pages, those of docstrings and of the gallery too."""
    app.add_transform(UnlinkCutoffs)
    return {"parallel_read_safe": True}
