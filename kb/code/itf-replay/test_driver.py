import contextlib
import io
import unittest
from pathlib import Path

from driver import Difference, ReplayError, differences, replay
from itf import Variant, freeze, load, trace_of
from replay_seats import SeatAdapter, main
from seat_office import RefusedError, SeatOffice

TRACES = Path(__file__).resolve().parent.parent / "itf-traces"
SEATS = sorted(TRACES.glob("seats-*.itf.json"))
LATE = TRACES / "seats-late-payment.itf.json"


class Counter:
    """The smallest adapter: a counter that counts by `stride`, up to 3."""

    def __init__(self, stride=1):
        self.value = 0
        self.stride = stride
        self.actions = {"add": self.add}

    def add(self, picks):
        if self.value >= 3:
            raise ValueError("full")
        self.value += self.stride * picks["n"]

    def observe(self):
        return {"x": self.value}


def counting(*values, action="add"):
    """A trace of `x` that takes the values, one added in each step."""
    one = {"n": {"tag": "Some", "value": {"#bigint": "1"}}}
    states = [
        {"x": {"#bigint": str(value)}, "mbt::actionTaken": action, "mbt::nondetPicks": one}
        for value in values
    ]
    return trace_of({"states": states})


class Replay(unittest.TestCase):
    def test_an_implementation_that_agrees_has_no_divergence(self):
        self.assertIsNone(replay(counting(0, 1, 2), Counter))

    def test_the_first_state_that_differs_is_reported(self):
        divergence = replay(counting(0, 1, 2), lambda: Counter(stride=2))
        self.assertEqual(divergence.state.index, 1)
        self.assertEqual(divergence.differences, (Difference("x", 1, 2),))
        self.assertIn("state 1, after add(n=1):\n  x: the specification has 1", str(divergence))

    def test_the_initial_state_is_compared(self):
        self.assertEqual(replay(counting(5), Counter).state.index, 0)

    def test_a_step_that_the_implementation_refuses_is_a_divergence(self):
        divergence = replay(counting(0, 1, 2, 3, 4), Counter)
        self.assertEqual(divergence.state.index, 4)
        self.assertIn("raised ValueError('full')", str(divergence))

    def test_an_action_that_the_adapter_lacks_is_no_finding(self):
        with self.assertRaisesRegex(ReplayError, "state 1: the adapter has no action 'double'"):
            replay(counting(0, 1, action="double"), Counter)

    def test_a_trace_without_actions_says_how_to_get_them(self):
        with self.assertRaisesRegex(ReplayError, "--mbt"):
            replay(counting(0, 1, action=""), Counter)

    def test_a_variable_that_the_trace_lacks_is_no_finding(self):
        with self.assertRaisesRegex(ReplayError, "no variable 'x'"):
            replay(trace_of({"states": [{"y": True}]}), Counter)


class Differences(unittest.TestCase):
    def found(self, expected, actual):
        return [d.path for d in differences(freeze({"v": expected}), freeze({"v": actual}))]

    def test_paths_lead_to_the_innermost_difference(self):
        self.assertEqual(self.found({"a": {1: [5, 6]}}, {"a": {1: [5, 7]}}), ["v.a[1][1]"])
        self.assertEqual(
            self.found(Variant("Held", (1, 2)), Variant("Held", (1, 3))), ["v.Held[1]"]
        )

    def test_missing_and_surplus_keys_differ(self):
        self.assertEqual(self.found({"a": 1, "b": 2}, {"b": 2, "c": 3}), ["v.a", "v.c"])

    def test_another_length_tag_or_type_differs_as_a_whole(self):
        self.assertEqual(self.found([1], [1, 2]), ["v"])
        self.assertEqual(self.found(Variant("A"), Variant("B")), ["v"])
        self.assertEqual(self.found(True, 1), ["v"])
        self.assertEqual(self.found({1}, [1]), ["v"])

    def test_equal_values_do_not_differ(self):
        self.assertEqual(self.found([{1}, {"k": Variant("A")}], ({1}, {"k": Variant("A")})), [])


class Seats(unittest.TestCase):
    def test_the_office_follows_every_trace(self):
        self.assertEqual(len(SEATS), 3)
        for path in SEATS:
            with self.subTest(trace=path.name):
                self.assertIsNone(replay(load(path), lambda: SeatAdapter(SeatOffice(2))))

    def test_the_bug_shows_where_the_late_payment_arrives(self):
        divergence = replay(
            load(LATE), lambda: SeatAdapter(SeatOffice(2, ignores_expired_holds=True))
        )
        self.assertEqual(divergence.state.action, "paymentSucceeds")
        self.assertIn("refunded", [d.path for d in divergence.differences])

    def test_the_office_refuses_what_the_specification_does_not_allow(self):
        office = SeatOffice(2)
        office.hold("ann", 1)
        for call in (
            lambda: office.hold("ben", 1),
            lambda: office.expire(2),
            lambda: office.start_payment("ben", 1),
        ):
            with self.assertRaises(RefusedError):
                call()


class CommandLine(unittest.TestCase):
    def status(self, *arguments):
        self.out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(err):
            return main([*map(str, arguments)])

    def test_exit_codes(self):
        self.assertEqual(self.status(*SEATS), 0)
        self.assertEqual(self.out.getvalue(), "3 traces replayed\n")
        self.assertEqual(self.status("--bug", LATE), 1)
        self.assertEqual(self.status(TRACES / "values.itf.json"), 2)
        self.assertEqual(self.status(TRACES / "absent.itf.json"), 2)


if __name__ == "__main__":
    unittest.main()
