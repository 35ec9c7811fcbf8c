"""Sphinx configuration. Build: python -m sphinx -n -W docs docs/_build/html."""

import os
import sys
from pathlib import Path

# Before anything imports matplotlib: the gallery has no screen.
os.environ.setdefault("MPLBACKEND", "Agg")
# Before anything imports NumPy: the matrices of the gallery are small, and on a busy
# machine the threads of BLAS wait for each other longer than they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import source_links

import sklearn_rank

# Where these pages and the sources are published. Without the addresses the pages have no
# links to sources, and no canonical addresses.
ADDRESS = os.environ.get("DOCS_URL") or os.environ.get("READTHEDOCS_CANONICAL_URL", "")
SOURCE_ADDRESS = os.environ.get("SOURCE_URL", "").rstrip("/")

project = "sklearn_rank"
author = "The sklearn_rank developers"
copyright = author
version = release = sklearn_rank.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "public_names",
    "tiers",
    "generated_pages",
    "cutoffs",
    "llms",
]
if ADDRESS:
    extensions.append("sphinxext.opengraph")
    html_baseurl = ogp_site_url = ADDRESS
    ogp_social_cards = {"enable": False}  # they would fetch fonts
    ogp_image = "_static/readme.png"
if SOURCE_ADDRESS:
    extensions.append("sphinx.ext.linkcode")
exclude_patterns = ["_build", "examples", "paper.md", "**/*.md", "sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "public"
# Small cards of the landing page, each with a link to a page of the guide.
sd_custom_directives = {
    "page-grid": {"inherit": "grid", "argument": "2 2 4 4", "options": {"gutter": "2"}},
    "page-card": {"inherit": "grid-item-card", "options": {"link-type": "doc"}},
}
toc_object_entries_show_parents = "hide"

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 150)]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "nested_sections": False,
    "abort_on_example_error": True,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", "public_names.reset_routing"),
    "doc_module": ("sklearn_rank",),
    "backreferences_dir": "generated/backreferences",
    "ignore_repr_types": "matplotlib|sklearn_rank",
    "show_memory": False,
    "min_reported_time": 30,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "image_srcset": ["2x"],
}

# The button copies what a reader types, without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True

html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_theme = "pydata_sphinx_theme"
html_title = "sklearn_rank"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "show_nav_level": 1,
    "show_toc_level": 2,
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "logo": {
        "text": f"sklearn_rank {version}",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "sklearn_rank",
    },
}
WITHOUT_SIDEBAR = ("index", "install", "changelog", "contributing", "architecture")
html_sidebars = {page: [] for page in WITHOUT_SIDEBAR}
html_context = {"default_mode": "auto"}

# There is no network where this is built, hence no inventories of other projects: names of
# theirs stand as code, without a link.
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|pandas|polars|matplotlib|scipy|lightgbm|implicit)\..*")
]


def linkcode_resolve(domain, info):
    """Return the address of the source of a public name, or None."""
    place = source_links.source_of(domain, info)
    return place and f"{SOURCE_ADDRESS}/{place}"
