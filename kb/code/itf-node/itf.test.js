import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { decode, equal, get, has, ItfError, load, show, traceOf } from "./itf.js";

const sample = (name) => fileURLToPath(new URL(`../itf-traces/${name}`, import.meta.url));

describe("the sample of all values", () => {
  const [first, second] = load(sample("values.itf.json")).states.map((state) => state.variables);

  test("numbers beyond 64 bits are exact", () => {
    assert.equal(first.number, 2n ** 64n + 1n);
    assert.equal(second.number, -(2n ** 64n + 1n));
  });

  test("lists and tuples are arrays, text is text", () => {
    assert.deepEqual(first.sequence, [1n, -2n]);
    assert.deepEqual(first.pair, [1n, "one"]);
    assert.equal(first.text, "Grüße");
    assert.equal(first.truth, true);
  });

  test("sets hold sets, tuples and records", () => {
    assert.deepEqual(first.nested, new Set([new Set([2n, 1n]), new Set()]));
    assert.deepEqual(first.people, new Set([{ likes: new Set(["tea"]), name: "ann" }]));
    assert.ok(has(first.points, [2n, 3n]));
    assert.ok(!has(first.points, [3n, 2n]));
  });

  test("maps have tuples and sets for keys", () => {
    assert.equal(get(first.prices, "tea"), 3n);
    assert.deepEqual(get(first.board, [0n, 1n]), { tag: "Line", value: [4n, 5n] });
    assert.equal(get(first.sides, new Set([2n, 1n])).size, 2);
    assert.equal(get(first.board, [9n, 9n]), undefined);
  });

  test("variants hold nothing, a number or a record", () => {
    assert.deepEqual(first.shapes, [
      { tag: "Point", value: [] },
      { tag: "Circle", value: 2n },
      { tag: "Box", value: { width: 1n, height: 2n } },
    ]);
  });

  test("empty collections keep their kind", () => {
    assert.deepEqual(second.letters, new Set());
    assert.deepEqual(second.prices, new Map());
    assert.deepEqual(second.sequence, []);
  });
});

describe("traces", () => {
  test("a state tells its action and what was drawn", () => {
    const { status, states } = load(sample("seats-late-payment.itf.json"));
    assert.equal(status, "violation");
    assert.equal(states[0].action, "init");
    assert.deepEqual(states[0].picks, {});
    assert.equal(states[1].action, "hold");
    assert.deepEqual(Object.keys(states[1].picks), ["c", "s"]);
    const variables = Object.keys(states[1].variables).sort();
    assert.deepEqual(variables, ["paid", "paying", "refunded", "seats"]);
  });

  test("a value that cannot be read is named with its state", () => {
    const document = { states: [{ x: { "#unserializable": "Int" } }] };
    assert.throws(() => traceOf(document), { name: "ItfError", message: /^state 0: .*unserial/ });
  });

  test("other JSON is refused", () => {
    for (const document of [null, [], {}, { states: {} }, { states: [1] }, { states: [{ x: null }] }]) {
      assert.throws(() => traceOf(document), ItfError);
    }
  });

  test("a file that is no JSON is named", () => {
    assert.throws(() => load(sample("values.qnt")), { name: "ItfError", message: /values\.qnt: not JSON/ });
  });
});

describe("values", () => {
  test("malformed ones are refused, and numbers that JSON has rounded", () => {
    for (const value of [{ "#bigint": "1.5" }, { "#map": [[1]] }, { "#set": 1 }, 1.5, 2 ** 60]) {
      assert.throws(() => decode(value), ItfError);
    }
  });

  test("the unit of Apalache is the empty tuple", () => {
    assert.deepEqual(decode({ tag: "None", value: { tag: "UNIT" } }), { tag: "None", value: [] });
  });

  test("order counts in lists only", () => {
    assert.ok(equal(new Set([[1n], [2n]]), new Set([[2n], [1n]])));
    assert.ok(equal(new Map([["a", 1n], ["b", 2n]]), new Map([["b", 2n], ["a", 1n]])));
    assert.ok(!equal([1n, 2n], [2n, 1n]));
    assert.ok(!equal(1n, 1));
  });

  test("messages show values as Quint writes them", () => {
    const seats = new Map([[2n, { tag: "Free", value: [] }], [1n, { tag: "Held", value: "ann" }]]);
    assert.equal(show(seats), 'Map(1 -> Held("ann"), 2 -> Free)');
    assert.equal(show({ name: "ann", likes: new Set([true]) }), '{ likes: Set(true), name: "ann" }');
  });
});
