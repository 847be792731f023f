#pragma once
namespace bike {
class Wheel {
 public:
  void spin(int times);
  int turns() const { return count; }

 private:
  int count = 0;
};
int gears(int front);
}  // namespace bike
