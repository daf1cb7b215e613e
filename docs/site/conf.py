"""Sphinx's settings for the site. `docs/make_site.py` gathers the pages and calls Sphinx."""

import re
import tomllib
from pathlib import Path

from sphinx.util.nodes import make_refnode

import rosenblatt

_ROOT = Path(__file__).resolve().parents[2]
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "Rosenblatt"
author = "The Rosenblatt developers"
copyright = author  # noqa: A001 - Sphinx names it
version = release = rosenblatt.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nitpicky = True
show_warning_types = True
default_role = "py:obj"

autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
add_module_names = False
python_maximum_signature_line_length = 88

html_theme = "pydata_sphinx_theme"
html_title = "Rosenblatt"
html_static_path = [str(_ROOT / "docs" / "site" / "static")]
html_css_files = ["site.css"]
html_favicon = str(_ROOT / "src" / "rosenblatt" / "lab" / "static" / "icon.svg")
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "Rosenblatt", "image_light": html_favicon, "image_dark": html_favicon},
    "header_links_before_dropdown": 5,
    "icon_links": [
        {
            "name": "Source",
            "url": _PROJECT["urls"]["Repository"],
            "icon": "fa-solid fa-code-branch",
        }
    ],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "navbar_persistent": ["search-button"],
    "navbar_align": "left",
    "header_dropdown_text": "More",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
}
html_sidebars = {"*": []}  # pages that stand alone have no section to show

# Prompts are not copied, and neither is what a command printed.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

# A type such as "array of shape (n_iter_,)" is not a link.
_TYPE = re.compile(r"^(\w[\w, *]* : .*)$")


def _escape_types(app, what, name, obj, options, lines):
    lines[:] = [
        re.sub(r"(?<=\w)_(?=\W|$)", r"\\_", line) if _TYPE.match(line) and "`" not in line else line
        for line in lines
    ]


def _resolve(app, env, node, content):
    """Find what a docstring names without its module; what scikit-learn documents stays text."""
    target = node["reftarget"]
    if node["refdomain"] != "py":
        return None
    if target.startswith("sklearn."):
        return content
    objects = env.domains["py"].objects
    last = target.rsplit(".", 1)[-1]
    found = [
        name for name in (target, f"rosenblatt.{target}", f"rosenblatt.{last}") if name in objects
    ]
    found += [name for name in objects if name.endswith(f".{target}")]
    if len(set(found)) == 1 or (found and found[0].count(".") == 1):
        entry = objects[found[0]]
        return make_refnode(
            app.builder, node["refdoc"], entry.docname, entry.node_id, content, found[0]
        )
    return content if node["reftype"] == "obj" else None


def setup(app):
    """Connect what Sphinx calls."""
    app.connect("autodoc-process-docstring", _escape_types, priority=100)
    app.connect("missing-reference", _resolve)
