import tempfile
import unittest
from pathlib import Path

from itf import FrozenMap, ItfError, Variant, decode, freeze, load, trace_of

TRACES = Path(__file__).resolve().parent.parent / "itf-traces"


class SampleOfAllValues(unittest.TestCase):
    """What Quint wrote for values.qnt, where each variable is a kind of value."""

    @classmethod
    def setUpClass(cls):
        cls.first, cls.second = (
            state.variables for state in load(TRACES / "values.itf.json").states
        )

    def test_numbers_beyond_64_bits_are_exact(self):
        self.assertEqual(self.first["number"], 2**64 + 1)
        self.assertEqual(self.second["number"], -(2**64 + 1))

    def test_truth_values_and_text(self):
        self.assertIs(self.first["truth"], True)
        self.assertEqual(self.first["text"], "Grüße")

    def test_lists_and_tuples_are_tuples(self):
        self.assertEqual(self.first["sequence"], (1, -2))
        self.assertEqual(self.first["pair"], (1, "one"))

    def test_sets_hold_sets_tuples_and_records(self):
        self.assertEqual(self.first["nested"], {frozenset(), frozenset({1, 2})})
        self.assertEqual(self.first["points"], {(0, 1), (2, 3)})
        ann = FrozenMap({"name": "ann", "likes": frozenset({"tea"})})
        self.assertEqual(self.first["people"], {ann})

    def test_maps_have_tuples_and_sets_for_keys(self):
        self.assertEqual(self.first["board"][0, 0], Variant("Point"))
        self.assertEqual(self.first["board"][0, 1], Variant("Line", (4, 5)))
        self.assertEqual(
            self.first["sides"][frozenset({1, 2})], {Variant("Top"), Variant("Bottom")}
        )

    def test_variants_hold_nothing_a_number_or_a_record(self):
        point, circle, box = self.first["shapes"]
        self.assertEqual((point.tag, point.value), ("Point", ()))
        self.assertEqual(circle, Variant("Circle", 2))
        self.assertEqual(box.value, {"width": 1, "height": 2})

    def test_empty_collections_keep_their_kind(self):
        self.assertEqual(self.second["letters"], frozenset())
        self.assertEqual(self.second["prices"], {})
        self.assertEqual(self.second["sequence"], ())


class Traces(unittest.TestCase):
    def test_a_state_tells_its_action_and_what_was_drawn(self):
        trace = load(TRACES / "seats-late-payment.itf.json")
        self.assertEqual(trace.status, "violation")
        first, second = trace.states[:2]
        self.assertEqual((first.action, first.picks), ("init", {}))
        self.assertEqual(second.action, "hold")
        self.assertEqual(second.picks.keys(), {"c", "s"})
        self.assertEqual(second.variables.keys(), {"seats", "paying", "paid", "refunded"})

    def test_a_trace_without_actions_has_empty_ones(self):
        state = trace_of({"states": [{"#meta": {"index": 0}, "x": {"#bigint": "1"}}]}).states[0]
        self.assertEqual((state.index, state.action, state.picks), (0, "", {}))
        self.assertEqual(state.variables, {"x": 1})

    def test_an_unserializable_value_is_named_with_its_state(self):
        with self.assertRaisesRegex(ItfError, r'state 0: .*"#unserializable": "Int"'):
            trace_of({"states": [{"x": {"#unserializable": "Int"}}]})

    def test_other_json_is_refused(self):
        for document in ([], {}, {"states": {}}, {"states": [1]}, {"states": [{"x": None}]}):
            with self.subTest(document=document), self.assertRaises(ItfError):
                trace_of(document)

    def test_a_file_that_is_no_json_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cut.itf.json"
            path.write_text('{"states": [', encoding="utf-8")
            with self.assertRaisesRegex(ItfError, "cut.itf.json: not JSON"):
                load(path)


class Values(unittest.TestCase):
    def test_plain_numbers_of_other_tools_are_read(self):
        self.assertEqual(decode([1, {"#bigint": "2"}]), (1, 2))

    def test_the_unit_of_apalache_is_the_empty_tuple(self):
        self.assertEqual(decode({"tag": "None", "value": {"tag": "UNIT"}}), Variant("None"))

    def test_malformed_values_are_refused(self):
        for value in ({"#bigint": "1.5"}, {"#bigint": 1}, {"#map": [[1]]}, {"#set": 1}, 1.5):
            with self.subTest(value=value), self.assertRaises(ItfError):
                decode(value)

    def test_freezing_gives_what_decoding_gives(self):
        frozen = freeze({"likes": {"tea"}, "scores": [1, (2, {"x": Variant("A", [3])})]})
        decoded = decode(
            {
                "likes": {"#set": ["tea"]},
                "scores": [1, {"#tup": [2, {"x": {"tag": "A", "value": [3]}}]}],
            }
        )
        self.assertEqual(frozen, decoded)
        self.assertEqual(hash(frozen), hash(decoded))


if __name__ == "__main__":
    unittest.main()
