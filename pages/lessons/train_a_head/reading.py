"""The sentences about a run: how far it goes, what limits it, whether it finds its pattern; and the words."""

import math

from attention.lab.training import (
    LEARNED,
    TASKS,
    Options,
    Snapshot,
    accuracy_of_all,
    distance_from_pattern,
    limit,
)
from attention.lab.training.model import TRAINED_ON
from pages.draw.numbers import apart
from pages.draw.page import Page

from . import runs

NEARLY = 0.95  # of the weight in the pattern: nearly all of it
FLAT = 0.01  # norms of gradients below it are nearly 0
COUNTED = ("count", "count_so_far")


def lines(page: Page, options: Options, snapshots: tuple[Snapshot, ...], snapshot: Snapshot) -> list[str]:
    """How far the run goes, against what theory gives, and how much of A is in the task's pattern."""
    ends = [_end(page, options, snapshots[-1]), *_limit_sentences(page, options)]
    return [*ends, *_pattern(page, options, snapshots, snapshot)]


# ---- how far it goes


def _end(page: Page, options: Options, last: Snapshot) -> str:
    """The end of the run, on the test sequences and on all; and why it is not better."""
    t, most = page.t, limit(options)
    whole = runs.measure_of(accuracy_of_all, options, last)
    shares = {"accuracy": last.accuracy, "whole": whole, "chance": most.chance}
    facts = {name: f"{share:.1%}" for name, share in shares.items()}
    lines = [t("train.end", step=last.step, count=f"{len(options.of.every()):,}", **facts)]
    if most.solvable and last.accuracy < LEARNED:
        norm = max(last.gradient_norms.values())
        lines.append(t(f"train.{'stuck' if norm < FLAT else 'unfinished'}", norm=apart(norm)))
    if options.task in COUNTED and options.causal == options.of.causal:
        lines.append(t(f"counting.{options.task}"))
    return t.joined(lines)


def _limit_sentences(page: Page, options: Options) -> list[str]:
    """The highest accuracy that is possible, the same with other options, and the reasons, if any."""
    t, most = page.t, limit(options)
    if most.solvable:
        return []
    trials = [
        t("train.trial", options=t.listed(t(f"lifted.{name}") for name in lifted), most=f"{accuracy:.1%}")
        for lifted, accuracy in most.trials
    ]
    limits = (
        t("train.limit", most=f"{most.accuracy:.1%}"),
        t("train.trials", trials=t.listed(trials, apart=True)),
    )
    return [t.joined(limits), t.joined(t(f"limited.{reason}") for reason in most.reasons)]


# ---- the pattern


def _pattern(page: Page, options: Options, snapshots: tuple[Snapshot, ...], snapshot: Snapshot) -> list[str]:
    """How much of the weight is in the pattern of the right answer; none where heads are too few or many."""
    t, ends = page.t, (runs.start(options), snapshot, snapshots[-1])
    before, share, last = (1 - runs.measure_of(distance_from_pattern, options, end) for end in ends)
    if math.isnan(share):
        return []
    facts = {"before": f"{before:.1%}", "share": f"{share:.1%}", "last": f"{last:.1%}"}
    line = t("train.pattern", step=snapshot.step, **facts)
    sentences, verdict = [line], of_pattern(before, last, snapshots[-1].accuracy)
    if verdict is not None:
        sentences.append(t(f"train.{verdict}"))
    if verdict == "pattern_begun" and limit(options).solvable:
        sentences.append(t("train.values_alone"))
    return [t.joined(sentences)]


def of_pattern(before: float, last: float, accuracy: float) -> str | None:
    """What a run has made of its pattern: of shares of the weight before and after, and the accuracy."""
    if before >= NEARLY:
        return "pattern_begun"
    if accuracy < LEARNED:
        return None
    return "pattern_found" if last >= NEARLY and last > before else "pattern_other"


# ---- what the words mean


def terms(page: Page, options: Options) -> str:
    """The words of the page in a line each: answer, loss, Adam, mask, and how the matrices begin."""
    t = page.t
    lines = [t("terms.answer"), t("terms.loss", count=TRAINED_ON), t("terms.adam")]
    if options.causal:
        lines.append(t("terms.mask"))
    some = [task for task in TASKS.values() if task.reports != "number"]
    start = t("terms.start", some=len(some), all=len(TASKS))
    lines.append(t.joined([start, t(f"terms.start_{beginning(options)}")]))
    return "\n".join(f"- {line}" for line in lines)


def beginning(options: Options) -> str:
    """What W_V begins with besides random numbers: a letter, a place, what is to be found, or nothing."""
    reports = options.of.reports
    return "nothing" if reports == "number" or (reports == "place" and not options.positions) else reports
