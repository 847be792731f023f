/**
 * The example implementation of `seat-reservation.qnt`: an office that sells seats, numbered from 1.
 *
 * `ignoresExpiredHolds` switches on a bug that looks harmless in review: a reported payment sells the
 * seat without asking who holds it now.
 */
export class SeatOffice {
  #ignoresExpiredHolds;

  constructor(count, { ignoresExpiredHolds = false } = {}) {
    this.seats = Array.from({ length: count }, () => ({ status: "free", customer: "" }));
    this.receipts = [];
    this.#ignoresExpiredHolds = ignoresExpiredHolds;
  }

  async hold(customer, number) {
    this.#demand(this.#seat(number).status === "free", `seat ${number} is not free`);
    Object.assign(this.#seat(number), { status: "held", customer });
  }

  async expire(number) {
    this.#demand(this.#seat(number).status === "held", `seat ${number} is not held`);
    Object.assign(this.#seat(number), { status: "free", customer: "" });
  }

  async startPayment(customer, number) {
    this.#demand(this.#isHeldFor(customer, number), `seat ${number} is not held for ${customer}`);
    this.#demand(!this.#receipt(customer, number), `${customer} has paid for seat ${number} before`);
    this.receipts.push({ customer, number, status: "started" });
  }

  async paymentSucceeded(customer, number) {
    const receipt = this.#receipt(customer, number);
    this.#demand(receipt?.status === "started", `${customer} does not pay for seat ${number}`);
    if (this.#ignoresExpiredHolds || this.#isHeldFor(customer, number)) {
      Object.assign(this.#seat(number), { status: "sold", customer });
      receipt.status = "paid";
    } else {
      receipt.status = "refunded";
    }
  }

  #seat(number) {
    return this.seats[number - 1];
  }

  #isHeldFor(customer, number) {
    const seat = this.#seat(number);
    return seat.status === "held" && seat.customer === customer;
  }

  #receipt(customer, number) {
    return this.receipts.find((r) => r.customer === customer && r.number === number);
  }

  #demand(condition, message) {
    if (!condition) throw new Error(message);
  }
}
