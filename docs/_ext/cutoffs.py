"""Sphinx extension: names of metrics such as ndcg@10 are not mail addresses."""

from docutils import nodes
from docutils.transforms import Transform


class UnlinkCutoffs(Transform):
    """Turn mail links, which docutils creates for text with an @, back into text."""

    default_priority = 700

    def apply(self, **kwargs):
        """Replace each mail link by its text."""
        for link in list(self.document.findall(nodes.reference)):
            if link.get("refuri", "").startswith("mailto:"):
                link.replace_self(link.children)


def setup(app):
    """Add the transform to all pages, including docstrings and the gallery."""
    app.add_transform(UnlinkCutoffs)
    return {"parallel_read_safe": True}
