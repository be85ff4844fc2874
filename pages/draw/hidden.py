"""What a teacher's link locks and hides, in a picture: the one place that it passes before it is drawn.

So hidden numbers are not in what the browser gets, nor in a file that it makes from the screen; the other
files are not offered (see Format.has_every_number).
"""

from dataclasses import replace

from pages.picture import Matrix, Picture, sources_of

from . import filling
from .page import Page


def as_handed_out(page: Page, picture: Picture) -> Picture:
    """The picture with locked matrices to read, and without hidden numbers and all that tells them."""
    stop = page.stop
    if not stop.hidden and not stop.fixed:
        return picture
    names = set(stop.hidden)
    if "weights" in names:
        names |= {matrix.id for matrix in picture.matrices if matrix.look.size == "thumbnail"}
    blank = {matrix.id: matrix for matrix in filling.blank(stop, picture.matrices)}

    def handed_out(matrix: Matrix) -> Matrix:
        made_of = sources_of(matrix.recipe)
        # Arithmetic that does not name its sources could have hidden numbers.
        if not names.isdisjoint(made_of) or (page.hidden_matrices and not made_of):
            matrix = replace(matrix, recipe=None)
        if matrix.id in stop.fixed:
            matrix = matrix.to_read()
        if matrix.id in blank:
            return filling.to_fill(matrix, stop)
        if matrix.id in names:
            return replace(matrix, values=None, bound=None, masked=None).looking(ringed=(), asked=True)
        return matrix

    matrices, sources = ([*map(handed_out, part)] for part in (picture.matrices, picture.sources))
    picture = replace(picture, matrices=matrices, sources=sources)
    if not page.hidden_matrices:
        return picture
    passages = [filling.passage(page.t, stop, [*blank.values()])] if blank else ()
    arcs = picture.arcs and replace(picture.arcs, weights=None, sentences=())
    return replace(picture, passages=passages, plots=(), plots_left=False, arcs=arcs)
