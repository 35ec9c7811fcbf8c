"""Sphinx extension: llms.txt and llms-full.txt, for programs that read the documentation.

The first links all pages of the guide with their descriptions. The second has the sources
of these pages, and the signature and first line of each public name.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

from public_names import MODULES

INTRODUCTION = """\
# sklearn_rank

> Measure, tune and compare rankings: those of a model in scikit-learn, or of a retriever
> written in any language.

`sklearn-rank skill` prints the instructions for coding agents.
"""


def outline(app):
    """Return the headings of the guide, and its pages with what each is for."""
    guide = Path(app.srcdir, "user_guide.rst").read_text(encoding="utf-8")
    row = r"^   \"?(.+?)\"?,\S.*:doc:`([\w/]+)`$"
    return re.findall(rf"^(.+)\n={{3,}}$\n\n\.\. toctree|{row}", guide, re.MULTILINE)


def signature(name, value):
    """Return how a public name is called, and its first line."""
    first = (inspect.getdoc(value) or "").partition("\n")[0]
    try:
        return f"{name}{inspect.signature(value)}\n    {first}"
    except (TypeError, ValueError):  # data, and some classes of warnings
        return f"{name}\n    {first}"


def write(app, exception):
    """Write both files beside the pages."""
    if exception is not None or app.builder.format != "html":
        return
    address = app.config.html_baseurl.rstrip("/")
    links, sources = [INTRODUCTION], [INTRODUCTION]
    for heading, description, page in outline(app):
        if heading:
            links.append(f"\n## {heading}\n")
            continue
        title = app.env.titles[page].astext()
        target = f"{address}/{page}.html".lstrip("/")
        links.append(f"- [{title}]({target}): {description}")
        sources.append(Path(app.env.doc2path(page)).read_text(encoding="utf-8"))
    for module in MODULES:
        found = import_module(module)
        sources.append(f"## {module}\n")
        sources += [signature(name, getattr(found, name)) for name in found.__all__]
    for name, parts in (("llms.txt", links), ("llms-full.txt", sources)):
        text = re.sub(r" at 0x[0-9a-f]+", "", "\n".join(parts)) + "\n"
        Path(app.outdir, name).write_text(text, encoding="utf-8")


def setup(app):
    """Write the files after the pages."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
