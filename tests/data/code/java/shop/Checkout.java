package shop;

import static shop.model.Order.tax; // Order -> shop/model/Order.java:3 // tax -> shop/model/Order.java:8

import java.util.Line;
import shop.model.Order; // Order -> shop/model/Order.java:3

public class Checkout {
    int pay() {
        Line line = null;
        Order order = new Order(); // Order -> shop/model/Order.java:3 // Order -> shop/model/Order.java:3
        return order.price() + tax(2); // price -> ? // tax -> shop/model/Order.java:8
    }
}
