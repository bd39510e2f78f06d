#include "cxx_core.h"

#include <memory>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};

struct Square final : Shape {
  explicit Square(int side) : side(side) {}
  int area() const override { return side * side; }
  int side;
};

struct Circle final : Shape {
  explicit Circle(int radius) : radius(radius) {}
  int area() const override { return 3 * radius * radius; }
  int radius;
};

template <typename Kind> std::unique_ptr<Shape> make(int size) {
  return std::make_unique<Kind>(size);
}

int total(const std::vector<std::unique_ptr<Shape>> &shapes) {
  int sum = 0;
  for (const auto &shape : shapes) sum += shape->area();
  return sum;
}

} // namespace

extern "C" int cxx_core_called(int value) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(make<Square>(value));
  return total(shapes);
}

extern "C" int cxx_core_never_called(int value) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(make<Circle>(value));
  return total(shapes) + static_cast<int>(std::to_string(value).size());
}
