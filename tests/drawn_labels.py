"""The names of models in a picture: in its legend, or at the ends of its lines."""

from sklearn_rank._display._figures import NAME_OF_LINE


def read_labels(ax):
    """Return the title of the names, and the names."""
    legend = ax.get_legend()
    if legend:
        return legend.get_title().get_text(), [
            text.get_text() for text in legend.get_texts()
        ]
    title, *names = [text.get_text() for text in ax.texts if text.get_gid() == NAME_OF_LINE]
    return title, names
