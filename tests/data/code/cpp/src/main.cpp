#include "wheel.hpp"

int main() {
  bike::Wheel wheel;  // Wheel -> src/wheel.hpp:3
  wheel.spin(bike::gears(2));  // spin -> ? // gears -> src/wheel.hpp:11
  auto turns = [](int gears) { return gears; };
  return turns(1);
}
