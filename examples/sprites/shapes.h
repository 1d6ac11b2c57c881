#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "assay/types.h"

namespace sprites {

enum class Shape {
  disc,
  square,
  triangle,
  star,
  house,
  cross,
  heart,
  arrow,
  crescent,
  ell,
  tee,
  drop,
};
inline constexpr std::array kAllShapes = {
    Shape::disc,  Shape::square, Shape::triangle, Shape::star, Shape::house, Shape::cross,
    Shape::heart, Shape::arrow,  Shape::crescent, Shape::ell,  Shape::tee,   Shape::drop};

std::string_view shape_name(Shape shape);

// A point in the frame of a shape: `right` and `up` as the shape stands when it is not turned.
struct Point {
  double right = 0.0;
  double up = 0.0;
};

// Corners of the shape, counter-clockwise, in a frame where its centroid is the origin and its area
// 1: all shapes of one scale cover as much, so scale says nothing about shape. Curves are polygons.
const std::vector<Point>& outline(Shape shape);

double reach(Shape shape);  // distance of its farthest corner from the centroid

bool covers(Shape shape, Point point);

}  // namespace sprites
