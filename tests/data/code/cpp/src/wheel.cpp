#include "wheel.hpp"

namespace bike {
int gears(int front) { return front * 9; }

void Wheel::spin(int times) {
  count += gears(times);  // gears -> src/wheel.cpp:4
  this->turns();  // turns -> src/wheel.hpp:6
}
}  // namespace bike
