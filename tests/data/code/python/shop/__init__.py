from .cart import Cart  # Cart -> shop/cart.py:5
