"""Replays traces of `seat-reservation.qnt` against the seat office.

    python3 replay_seats.py ../itf-traces/seats-*.itf.json
    python3 replay_seats.py --bug ../itf-traces/seats-late-payment.itf.json

Exit code: 0 when the implementation follows all traces, 1 when it diverges, 2 when a trace cannot be
used.
"""

import argparse
import sys

from driver import Action, ReplayError, replay
from itf import ItfError, Variant, load
from seat_office import Receipt, Seat, SeatOffice


class SeatAdapter:
    """The words of the specification, in terms of the office."""

    def __init__(self, office: SeatOffice) -> None:
        self._office = office
        self.actions: dict[str, Action] = {
            "hold": lambda picks: office.hold(picks["c"], picks["s"]),
            "expire": lambda picks: office.expire(picks["s"]),
            "startPayment": lambda picks: office.start_payment(picks["c"], picks["s"]),
            "paymentSucceeds": lambda picks: office.payment_succeeded(picks["c"], picks["s"]),
        }

    def observe(self) -> dict[str, object]:
        return {
            "seats": {number: _seat(seat) for number, seat in self._office.seats.items()},
            "paying": self._payments("started"),
            "paid": self._payments("paid", "refunded"),  # a refund leaves the payment in the books
            "refunded": self._payments("refunded"),
        }

    def _payments(self, *statuses: str) -> set[tuple[str, int]]:
        receipts: list[Receipt] = list(self._office.receipts.values())
        return {(r.customer, r.seat) for r in receipts if r.status in statuses}


def _seat(seat: Seat) -> Variant:
    return Variant("Free") if seat.status == "free" else Variant(seat.status.title(), seat.customer)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Replay traces against the seat office.")
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="ITF files, made with --mbt")
    parser.add_argument("--bug", action="store_true", help="let late payments sell the seat")
    options = parser.parse_args(arguments)
    status = 0
    for path in options.traces:
        try:
            divergence = replay(
                load(path), lambda: SeatAdapter(SeatOffice(2, ignores_expired_holds=options.bug))
            )
        except (OSError, ItfError, ReplayError) as error:
            print(f"replay_seats: {path}: {error}", file=sys.stderr)
            return 2
        if divergence is not None:
            print(f"{path}: {divergence}")
            status = 1
    if status == 0:
        print(f"{len(options.traces)} traces replayed")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
