import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { describe as inWords, replay } from "./driver.js";
import { load, traceOf } from "./itf.js";
import { seatAdapter } from "./seat-adapter.js";
import { SeatOffice } from "./seat-office.js";

const folder = fileURLToPath(new URL("../itf-traces/", import.meta.url));
const seats = readdirSync(folder).filter((name) => /^seats-.*\.itf\.json$/.test(name));
const late = load(`${folder}seats-late-payment.itf.json`);

/** An adapter of a counter that counts by `stride`, up to 3. */
function counter(stride = 1n) {
  let x = 0n;
  const add = async ({ n }) => {
    if (x >= 3n) throw new Error("full");
    x += stride * n;
  };
  return { actions: { add }, observe: async () => ({ x }) };
}

/** A trace of `x` that takes the values, one added in each step. */
function counting(values, action = "add") {
  const n = { tag: "Some", value: { "#bigint": "1" } };
  return traceOf({
    states: values.map((value) => ({
      x: { "#bigint": `${value}` },
      "mbt::actionTaken": action,
      "mbt::nondetPicks": { n },
    })),
  });
}

describe("replay", () => {
  test("an implementation that agrees has no divergence", async () => {
    assert.equal(await replay(counting([0, 1, 2]), counter), null);
  });

  test("the first state that differs is reported", async () => {
    const divergence = await replay(counting([0, 1, 2]), () => counter(2n));
    assert.equal(divergence.state.index, 1);
    assert.equal(
      inWords(divergence),
      "state 1, after add(n=1):\n  x: the specification has 1, the implementation 2",
    );
  });

  test("a step that the implementation refuses is a divergence", async () => {
    const divergence = await replay(counting([0, 1, 2, 3, 4]), counter);
    assert.equal(divergence.state.index, 4);
    assert.match(inWords(divergence), /threw Error: full/);
  });

  test("what the adapter does not know is no finding", async () => {
    await assert.rejects(replay(counting([0, 1], "double"), counter), {
      name: "ReplayError",
      message: 'state 1: the adapter has no action "double"',
    });
    await assert.rejects(replay(counting([0, 1], "toString"), counter), { name: "ReplayError" });
    await assert.rejects(replay(counting([0, 1], ""), counter), /--mbt/);
    await assert.rejects(replay(traceOf({ states: [{ y: true }] }), counter), /no variable "x"/);
  });
});

describe("the seat office", () => {
  test("there are three traces", () => assert.equal(seats.length, 3));

  for (const name of seats) {
    test(`follows ${name}`, async () => {
      const divergence = await replay(load(folder + name), seatAdapter);
      assert.equal(divergence, null, divergence && inWords(divergence));
    });
  }

  test("with the bug, diverges where the late payment arrives", async () => {
    const divergence = await replay(late, () => seatAdapter({ ignoresExpiredHolds: true }));
    assert.equal(divergence.state.action, "paymentSucceeds");
    const variables = divergence.differences.map(({ variable }) => variable);
    assert.deepEqual(variables, ["seats", "refunded"]);
  });

  test("refuses what the specification does not allow", async () => {
    const office = new SeatOffice(2);
    await office.hold("ann", 1);
    await assert.rejects(office.hold("ben", 1));
    await assert.rejects(office.expire(2));
    await assert.rejects(office.startPayment("ben", 1));
    await assert.rejects(office.paymentSucceeded("ann", 1));
  });
});
