"""The time stamp of the files in an archive, which is never the current time."""

from __future__ import annotations

import datetime

from kbc.shipping.archive import EARLIEST
from kbc.shipping.product import Product


def timestamp_of(product: Product, source_date_epoch: int | None) -> int:
    """Seconds since 1970: what SOURCE_DATE_EPOCH says, or else when the artifact was built, or else
    the earliest time that an archive can hold."""
    if source_date_epoch is not None:
        return source_date_epoch
    if not product.built_at:
        return EARLIEST
    built = datetime.datetime.strptime(product.built_at, "%Y-%m-%dT%H:%M:%S%z")
    return int(built.timestamp())
