import os.path
from json import check

import shop.prices as p
from shop import Cart  # Cart -> shop/cart.py:5


def run(add, step):
    cart = Cart("Ada")  # Cart -> shop/cart.py:5
    cart.add("tea")  # add -> ?
    add("not a method of anything")
    step()
    check("of a library")
    print(os.path.join("a"), p.total_of([]))  # total_of -> shop/prices.py:1
