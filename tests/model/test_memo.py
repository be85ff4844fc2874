"""Results that are kept while all of them together take little memory."""

from pages.model.memo import within


def test_a_result_is_worked_out_once_until_others_need_its_room():
    worked = []

    def doubled(number):
        worked.append(number)
        return number * 2

    kept = within(10, lambda result: result, doubled)
    assert [kept(1), kept(2), kept(1), kept(2)] == [2, 4, 2, 4] and worked == [1, 2]
    kept(1)  # the 4 of kept(2) is now the one used longest ago
    kept(4)  # 2 + 8 bytes stay
    assert worked == [1, 2, 4]
    kept(1), kept(4), kept(2)
    assert worked == [1, 2, 4, 2]


def test_the_newest_result_is_kept_at_any_size():
    worked = []
    kept = within(10, lambda result: 100, worked.append)
    kept(1), kept(1), kept(2), kept(1)
    assert worked == [1, 2, 1]
