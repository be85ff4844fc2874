"""The picture of matrices: its data, JavaScript and styles, and numbers that remember how they were made.

The folder knows nothing of Streamlit and nothing of the course, and only `traced` needs PyTorch. What is in a
`Picture` is drawn; `pages.draw.component` puts it on a page.
"""

from pathlib import Path

from .arcs import Arcs, FormulaPart, Front, Role
from .data import (
    Arrow,
    Editing,
    Flow,
    Grid,
    GridRows,
    Group,
    Items,
    Look,
    Matrix,
    PanelStep,
    Passage,
    Picture,
    colour_range,
    nice_bound,
    round_above,
)
from .pieces import packed
from .recipes import (
    add,
    copy,
    difference,
    divide,
    masked_from,
    product,
    renamed,
    same,
    softcap,
    softmax,
    softmax_of,
    sources_of,
    total,
    written,
)
from .vectors import VectorPlot, Vectors

HERE = Path(__file__).parent
STYLES = ("tokens", "picture", "controls", "slider", "plots", "arcs", "screens")


def style() -> str:
    """The picture's CSS."""
    return "\n".join((HERE / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
