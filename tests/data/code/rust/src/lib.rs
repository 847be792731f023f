mod bulb;
pub use bulb::Bulb; // Bulb -> src/bulb.rs:1

pub struct Lamp {
    bulb: Bulb, // Bulb -> src/bulb.rs:1
}

impl Lamp {
    pub fn light(&self) -> u32 {
        self.warm(); // warm -> src/lib.rs:14
        helper(self.bulb.watts()) // helper -> src/lib.rs:19 // watts -> ?
    }

    fn warm(&self) {
        let helper = 1;
        let _ = helper;
    }
}
fn helper(n: u32) -> u32 {
    Bulb::of(n).watts() // Bulb -> src/bulb.rs:1 // of -> src/bulb.rs:6 // watts -> ?
}
