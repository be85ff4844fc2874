"""What check says of attention as public code writes it: no right code is wrong, no wrong cause is named."""

import pytest
import torch

from attention import check

from . import public, repositories

CASES = {**public.CASES, **repositories.CASES}


def verdict(report):
    """What the report says, in a word or a few."""
    if not report.compared and not report.failed:
        return "not compared"
    kinds = {case.kind for case in report.failed if not case.mistakes}
    told = [*report.mistakes, *report.remarks, *sorted(kinds & {"changed", "dtype"})]
    told += ["unnamed"] if kinds - {"changed", "dtype"} else []
    return ", ".join(told) or "right"


@pytest.mark.parametrize("name", CASES)
def test_what_check_says_of_public_code(name):
    function, expected, *options = CASES[name]
    report = check(function, **(options[0] if options else {}))
    assert verdict(report) in expected.split("|"), str(report)
    if report.remarks or not report.compared:
        assert report.ok is not True


def test_a_check_runs_in_one_thread_and_leaves_their_number_as_it_was():
    threads = []

    def watching(query, key, value):
        threads.append(torch.get_num_threads())
        return public.sdpa(query, key, value)

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        check(watching)
        assert set(threads) == {1} and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
