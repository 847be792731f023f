use lamp_post::{Bulb, Lamp}; // Bulb -> src/bulb.rs:1 // Lamp -> src/lib.rs:4
use std::fmt::helper;

fn main() {
    helper();
    let bulb = Bulb::of(3); // Bulb -> src/bulb.rs:1 // of -> src/bulb.rs:6
    let _: Option<Lamp> = None; // Lamp -> src/lib.rs:4
}
