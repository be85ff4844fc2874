"""What a question says once it is answered."""

import pytest

from pages.model.view import Place, View
from pages.ui.texts import Texts
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
    assert [element for element in app.markdown if element.value.startswith(toast.value)]
    app.run()
    assert not app.toast


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("option", ["none", "all", "shown"])
def test_every_reason_is_said_once_and_those_of_other_options_are_folded_away(option, language):
    """The card is low, so that the figure below it is in sight."""
    app = open_page("order", view=View(language=language), place=Place(part="rotary"))
    app.button(key=f"guess-order_shift-{option}").click().run()
    t = Texts(language, "order")
    said = [element.value for element in app.markdown]
    (folded,) = [text for text in said if text.startswith("- **")]
    for other in ("none", "all", "later", "diagonal"):
        reason = t(f"because.order_shift_{other}")
        (where,) = [text for text in said if reason in text]
        assert (where == folded) is (other not in ("none", option))
