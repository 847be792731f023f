from . import prices
from .prices import rounded, total_of as total  # total_of -> shop/prices.py:1 # rounded -> shop/prices.py:5


class Cart:
    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item):
        self.check(item)  # check -> shop/cart.py:15
        self.items.append(item)
        return self

    def check(self, item):
        if not item:
            raise ValueError("no item")

    def total(self):
        rounded = prices.rounded  # rounded -> shop/prices.py:5
        assert rounded
        return total(self.items)  # total_of -> shop/prices.py:1


class Basket(Cart):  # Cart -> shop/cart.py:5
    def fill(self, items):
        for check in items:
            self.add(check)  # add -> ?
