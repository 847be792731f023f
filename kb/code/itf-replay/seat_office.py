"""The example implementation: an office that sells seats, as `seat-reservation.qnt` describes.

It is written as one would without the specification: seats are objects, payments have receipts.
`ignores_expired_holds=True` switches on a bug that looks harmless in review: a reported payment sells
the seat without asking who holds it now.
"""

from dataclasses import dataclass
from typing import Literal


class RefusedError(Exception):
    """The office does not do that now."""


@dataclass
class Seat:
    status: Literal["free", "held", "sold"] = "free"
    customer: str = ""


@dataclass
class Receipt:
    customer: str
    seat: int
    status: Literal["started", "paid", "refunded"] = "started"


class SeatOffice:
    def __init__(self, seats: int, ignores_expired_holds: bool = False) -> None:
        self.seats = {number: Seat() for number in range(1, seats + 1)}
        self.receipts: dict[tuple[str, int], Receipt] = {}
        self._ignores_expired_holds = ignores_expired_holds

    def hold(self, customer: str, seat: int) -> None:
        if self.seats[seat].status != "free":
            raise RefusedError(f"seat {seat} is not free")
        self.seats[seat] = Seat("held", customer)

    def expire(self, seat: int) -> None:
        if self.seats[seat].status != "held":
            raise RefusedError(f"seat {seat} is not held")
        self.seats[seat] = Seat()

    def start_payment(self, customer: str, seat: int) -> None:
        if self.seats[seat] != Seat("held", customer):
            raise RefusedError(f"seat {seat} is not held for {customer}")
        if (customer, seat) in self.receipts:
            raise RefusedError(f"{customer} has paid for seat {seat} before")
        self.receipts[customer, seat] = Receipt(customer, seat)

    def payment_succeeded(self, customer: str, seat: int) -> None:
        receipt = self.receipts[customer, seat]
        if self._ignores_expired_holds or self.seats[seat] == Seat("held", customer):
            self.seats[seat] = Seat("sold", customer)
            receipt.status = "paid"
        else:
            receipt.status = "refunded"
