def total_of(items):
    return rounded(sum(item.price for item in items))  # rounded -> shop/prices.py:5


def rounded(amount):
    def step():
        return 2

    return round(amount, step())  # step -> shop/prices.py:6
