"""The computation of a real head for files, from its Q, K and V to its output."""

from dataclasses import replace

from pages.draw.page import Page
from pages.hand.export.program import PartProgram, Program, of_part, questions_of

from . import one_real_head, scene


def program(page: Page) -> Program | None:
    """The head of that part once its question is answered. The numbers of other parts are the settings', or
    measures of many heads.
    """
    if page.part.name != "one_real_head" or page.answer(page.topic.asks[0].name) is None:
        return None
    t, own, names = page.t, page.own, scene.tokens(page)
    trace = scene.trace_of(*scene.head(page), own)
    numbers = one_real_head.numbers_of(page, trace, names, one_real_head.divisor_of(trace, own))
    warm, empty = own.real_temperature != 1, not trace.weights.any(-1).all()
    whys = {"scaled_scores": f"scaled_scores_{'own' if warm else own.real_scaling}"}
    whys |= {"output": "output_zero"} if empty else {}
    facts = {t("setting.real_temperature"): f"{own.real_temperature:g}"} if warm else {}
    part = PartProgram(numbers, facts=facts, likes={name: name for name in numbers})

    def texts(name: str) -> tuple[str, str]:
        return t(f"title.{name}"), t(f"why.{whys.get(name, name)}")

    whole = of_part(page, part, texts, questions_of(page))
    inputs = {name: each if each.kind == "mask" else each.to_edit() for name, each in whole.inputs.items()}
    return replace(whole, tokens=names, inputs=inputs, about=scene.head_name(page, *scene.head(page)))
