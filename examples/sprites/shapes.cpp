#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sprites {
namespace {

using Outline = std::vector<Point>;

constexpr double kPi = std::numbers::pi;
constexpr int kCurve = 40;  // corners of a closed curve

// Points of curve(t), t from 0 up to but not including 2 pi.
template <typename Curve>
Outline closed_curve(int corners, const Curve& curve) {
  Outline points;
  for (int i = 0; i < corners; ++i) points.push_back(curve(2.0 * kPi * i / corners));
  return points;
}

Outline disc() {
  return closed_curve(kCurve, [](double t) { return Point{std::cos(t), std::sin(t)}; });
}

Outline star() {
  Outline points;
  for (int i = 0; i < 10; ++i) {
    const double radius = i % 2 == 0 ? 1.0 : 0.42;
    const double angle = kPi / 2.0 + kPi * i / 5.0;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  return points;
}

Outline heart() {
  return closed_curve(kCurve, [](double t) {
    const double right = -16.0 * std::pow(std::sin(t), 3);
    const double up =
        13.0 * std::cos(t) - 5.0 * std::cos(2.0 * t) - 2.0 * std::cos(3.0 * t) - std::cos(4.0 * t);
    return Point{right, up};
  });
}

Outline drop() {
  return closed_curve(kCurve, [](double t) {
    return Point{-std::sin(t) * std::pow(std::sin(t / 2.0), 1.5), std::cos(t)};
  });
}

// A disc of radius 1 without one of radius 0.8 whose centre is half a unit to the right. The
// circles meet where right = (1 - 0.8^2 + 0.5^2) / (2 * 0.5) = 0.61.
Outline crescent() {
  constexpr double kMeet = 0.61;
  const double height = std::sqrt(1.0 - kMeet * kMeet);
  const double outer = std::atan2(height, kMeet);
  const double inner = std::atan2(height, kMeet - 0.5);
  constexpr int kSteps = kCurve / 2;
  Outline points;
  for (int i = 0; i < kSteps; ++i) {
    const double t = outer + (2.0 * kPi - 2.0 * outer) * i / kSteps;
    points.push_back({std::cos(t), std::sin(t)});
  }
  for (int i = 0; i < kSteps; ++i) {
    const double t = 2.0 * kPi - inner - (2.0 * kPi - 2.0 * inner) * i / kSteps;
    points.push_back({0.5 + 0.8 * std::cos(t), 0.8 * std::sin(t)});
  }
  return points;
}

Outline drawn(Shape shape) {
  switch (shape) {
    case Shape::disc:
      return disc();
    case Shape::square:
      return {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    case Shape::triangle:
      return {{-0.8, -1}, {0.8, -1}, {0, 1.2}};
    case Shape::star:
      return star();
    case Shape::house:
      return {{-0.8, -1}, {0.8, -1}, {0.8, 0.2}, {0, 1.2}, {-0.8, 0.2}};
    case Shape::cross:
      return {{-0.3, -1.2}, {0.3, -1.2}, {0.3, 0.1},  {0.9, 0.1},  {0.9, 0.6},  {0.3, 0.6},
              {0.3, 1.1},   {-0.3, 1.1}, {-0.3, 0.6}, {-0.9, 0.6}, {-0.9, 0.1}, {-0.3, 0.1}};
    case Shape::heart:
      return heart();
    case Shape::arrow:
      return {{-0.3, -1.2}, {0.3, -1.2}, {0.3, 0.1}, {0.9, 0.1},
              {0, 1.2},     {-0.9, 0.1}, {-0.3, 0.1}};
    case Shape::crescent:
      return crescent();
    case Shape::ell:
      return {{-0.7, -1.1}, {0.8, -1.1}, {0.8, -0.5}, {-0.1, -0.5}, {-0.1, 1.1}, {-0.7, 1.1}};
    case Shape::tee:
      return {{-0.3, -1.1}, {0.3, -1.1}, {0.3, 0.5},  {0.9, 0.5},
              {0.9, 1.1},   {-0.9, 1.1}, {-0.9, 0.5}, {-0.3, 0.5}};
    case Shape::drop:
      return drop();
  }
  return {};
}

double cross_product(Point a, Point b) { return a.right * b.up - a.up * b.right; }

// Area and centroid by the shoelace formula.
Outline centred_with_area_one(Outline points) {
  double area = 0.0;
  Point centroid;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point a = points[i];
    const Point b = points[(i + 1) % points.size()];
    const double piece = cross_product(a, b) / 2.0;
    area += piece;
    centroid.right += piece * (a.right + b.right) / 3.0;
    centroid.up += piece * (a.up + b.up) / 3.0;
  }
  const double side = std::sqrt(area);
  for (Point& point : points) {
    point = {(point.right - centroid.right / area) / side, (point.up - centroid.up / area) / side};
  }
  return points;
}

struct Geometry {
  Outline corners;
  double reach = 0.0;
};

const Geometry& geometry(Shape shape) {
  static const std::vector<Geometry> kAll = [] {
    std::vector<Geometry> all;
    for (const Shape each : kAllShapes) {
      Geometry made{centred_with_area_one(drawn(each)), 0.0};
      for (const Point point : made.corners)
        made.reach = std::max(made.reach, std::hypot(point.right, point.up));
      all.push_back(std::move(made));
    }
    return all;
  }();
  return kAll[static_cast<std::size_t>(shape)];
}

}  // namespace

std::string_view shape_name(Shape shape) {
  static constexpr std::array<std::string_view, kAllShapes.size()> kNames = {
      "disc",  "square", "triangle", "star", "house", "cross",
      "heart", "arrow",  "crescent", "ell",  "tee",   "drop"};
  return kNames[static_cast<std::size_t>(shape)];
}

const std::vector<Point>& outline(Shape shape) { return geometry(shape).corners; }

double reach(Shape shape) { return geometry(shape).reach; }

// Even-odd rule: a ray to the right crosses the outline an odd number of times.
bool covers(Shape shape, Point point) {
  const std::vector<Point>& corners = geometry(shape).corners;
  bool inside = false;
  Point a = corners.back();
  for (const Point b : corners) {
    if ((a.up > point.up) != (b.up > point.up)) {
      const double share = (point.up - a.up) / (b.up - a.up);
      if (point.right < a.right + share * (b.right - a.right)) inside = !inside;
    }
    a = b;
  }
  return inside;
}

}  // namespace sprites
