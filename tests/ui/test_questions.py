"""What a question says once it is answered."""

import pytest

from pages.model.view import Place, View
from tests.apps import LANGUAGES, open_page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("option", "right"), [("none", True), ("all", False), ("shown", None)])
def test_the_verdict_is_said_over_the_page_once(option, right, language):
    """A picture that comes with the answer pushes the question's card below the fold."""
    app = open_page("order", view=View(language=language), place=Place(part="rotary"))
    assert not app.toast
    app.button(key=f"guess-order_shift-{option}").click().run()
    (toast,) = app.toast
    words = {"en": {True: "Right.", False: "Not quite."}, "zh": {True: "正确。", False: "不对"}}[language]
    assert {word: word in toast.value for word in words.values()} == {
        word: verdict is right for verdict, word in words.items()
    }
    assert toast.value in [element.value for element in app.markdown]
    app.run()
    assert not app.toast
