/// Headers nearly every source includes, compiled once.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "core/vec.hpp"

/// Types of expressions that many sources write, made here once instead of in each of them: a seventh less to compile.
namespace scree::precompiled {

template <class... Types>
inline constexpr bool kMade = ((sizeof(Types) + sizeof(Eigen::internal::evaluator<Types>) > 0) && ...);

using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Rows3 = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
using Array3 = Eigen::Array<double, 3, 1>;
template <class M>
using Constant = Eigen::CwiseNullaryOp<Eigen::internal::scalar_constant_op<double>, M>;
using Identity = Eigen::CwiseNullaryOp<Eigen::internal::scalar_identity_op<double>, Mat3>;
using UnitVector = Eigen::Block<const Identity, 3, 1, false>;
template <class M>
using Square = Eigen::CwiseUnaryOp<Eigen::internal::scalar_abs2_op<double>, const M>;
template <class A, class B>
using Sum = Eigen::CwiseBinaryOp<Eigen::internal::scalar_sum_op<double>, const A, const B>;
template <class A, class B>
using Difference = Eigen::CwiseBinaryOp<Eigen::internal::scalar_difference_op<double>, const A, const B>;
template <class A, class B>
using Product = Eigen::CwiseBinaryOp<Eigen::internal::scalar_product_op<double>, const A, const B>;
template <class A, class B>
using Dot = Eigen::CwiseBinaryOp<Eigen::internal::scalar_conj_product_op<double>, const A, const B>;
template <class A, class B>
using Quotient = Eigen::CwiseBinaryOp<Eigen::internal::scalar_quotient_op<double>, const A, const B>;
using Scaled = Product<Constant<const Mat3>, Identity>;
using Row = Eigen::Block<const Mat3, 1, 3, false>;
using Column = Eigen::Block<const Mat3, 3, 1, true>;
using MapX = Eigen::Map<VecX>;
using ConstMapX = Eigen::Map<const VecX>;
using ScaledMap = Product<Constant<const VecX>, ConstMapX>;

static_assert(kMade<Vec2, Vec6, VecX, MatX, Mat2, RowMat3, Rows3, Array3, MapX, ConstMapX, Eigen::Map<Vec3>, Eigen::Map<const Vec3>, Eigen::Map<VecX, Eigen::Aligned16>>);
static_assert(kMade<Identity, UnitVector, Constant<Mat3>, Constant<Mat2>, Constant<Vec2>, Constant<VecX>, Constant<MatX>, Constant<Array3>>);
static_assert(kMade<Constant<const Mat3>, Constant<const Vec3>, Constant<const Vec2>, Constant<const VecX>, Square<Vec3>, Square<Vec2>, Dot<Vec3, Vec3>, Dot<ConstMapX, ConstMapX>>);
static_assert(kMade<Scaled, Difference<Scaled, Mat3>, Difference<Mat3, Identity>, Difference<Mat3, Mat3>, Sum<Mat3, Eigen::Transpose<const Mat3>>, ScaledMap, Sum<ConstMapX, ScaledMap>>);
static_assert(kMade<Product<Vec3, Vec3>, Product<Vec3, Column>, Product<Vec3, Constant<const Vec3>>, Product<Vec2, Constant<const Vec2>>, Quotient<Vec3, Constant<const Vec3>>>);
static_assert(kMade<Row, Column, Eigen::Block<Mat3, 1, 3, false>, Eigen::Block<Mat3, 3, 1, true>, Eigen::Block<MatX, Eigen::Dynamic, 1, true>, Eigen::Block<const Vec3, 2, 1, false>>);
static_assert(kMade<Eigen::Transpose<const Mat3>, Eigen::Transpose<Mat3>, Eigen::Transpose<const Row>, Eigen::Transpose<Eigen::Block<Mat3, 1, 3, false>>, Eigen::Transpose<const Vec3>, Eigen::Transpose<Vec3>>);
static_assert(kMade<Eigen::Diagonal<const Mat3, 0>, Eigen::Diagonal<Mat3, 0>, Eigen::Inverse<Mat3>>);

}  // namespace scree::precompiled
