pub struct Bulb {
    power: u32,
}

impl Bulb {
    pub fn of(power: u32) -> Self {
        Bulb { power } // Bulb -> src/bulb.rs:1
    }
    pub fn watts(&self) -> u32 {
        crate::helper(self.power) // helper -> src/lib.rs:19
    }
}
