import { SeatOffice } from "./seat-office.js";

/** The words of the specification, in terms of the office: int is bigint there and number here. */
export function seatAdapter(options) {
  const office = new SeatOffice(2, options);
  const payments = (...statuses) =>
    new Set(
      office.receipts
        .filter((receipt) => statuses.includes(receipt.status))
        .map((receipt) => [receipt.customer, BigInt(receipt.number)]),
    );
  return {
    actions: {
      hold: ({ c, s }) => office.hold(c, Number(s)),
      expire: ({ s }) => office.expire(Number(s)),
      startPayment: ({ c, s }) => office.startPayment(c, Number(s)),
      paymentSucceeds: ({ c, s }) => office.paymentSucceeded(c, Number(s)),
    },
    observe: () => ({
      seats: new Map(office.seats.map((seat, i) => [BigInt(i + 1), variant(seat)])),
      paying: payments("started"),
      paid: payments("paid", "refunded"), // a refund leaves the payment in the books
      refunded: payments("refunded"),
    }),
  };
}

function variant({ status, customer }) {
  if (status === "free") return { tag: "Free", value: [] };
  return { tag: status === "held" ? "Held" : "Sold", value: customer };
}
