"""The site: ``sphinx-build -W docs OUT``. What the code can say is written by ``pages`` before it is read."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pages  # noqa: E402

import samplercheck  # noqa: E402
from samplercheck.values.site import find_site  # noqa: E402

project = "samplercheck"
author = "The samplercheck founders"
project_copyright = author
version = release = samplercheck.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["samples"]
myst_enable_extensions = ["colon_fence", "fieldlist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # included pages begin with headings of their own
autodoc_typehints = "description"
autodoc_member_order = "bysource"
nitpicky = False
html_theme = "furo"
html_title = "samplercheck"
html_baseurl = find_site({})  # where the pages lie, in their heads
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
copybutton_exclude = ".linenos, .gp, .go"
highlight_language = "text"

# The inventories of others come from the network: a build without one leaves their links out.
if not os.environ.get("SAMPLERCHECK_DOCS_OFFLINE"):
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "torch": ("https://docs.pytorch.org/docs/stable", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "pytest": ("https://docs.pytest.org/en/stable", None),
        "hypothesis": ("https://hypothesis.readthedocs.io/en/latest", None),
    }


def setup(app):
    """Write the pages before sources are looked for, and the texts for assistants when all is done."""
    source = Path(app.srcdir)
    app.connect("builder-inited", lambda _: pages.write_pages(source))
    app.connect("source-read", lambda _app, _page, text: pages.point_inside(text))
    app.connect("build-finished", lambda _, error: error or pages.write_llms(source, Path(app.outdir)))
    app.connect("build-finished", lambda _, error: error or pages.make_heard(Path(app.outdir)))
    return {"parallel_read_safe": True}
