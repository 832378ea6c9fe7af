#include "io/fclib.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "io/fclib_condense.hpp"
#include "io/journal_driver.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

using solvers::BlockKind;
using solvers::BodyForm;
using solvers::ContactProblem;
using solvers::ExplicitForm;
using solvers::RowMat3;

namespace fs = std::filesystem;

// Random block rows; symmetric when asked for.
std::shared_ptr<ExplicitForm> random_rows(int blocks, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<int> start{0}, columns;
  std::vector<RowMat3> values;
  for (int a = 0; a < blocks; ++a) {
    for (int b = 0; b < blocks; ++b) {
      if (a != b && (a + b) % 3 != 0) continue;
      columns.push_back(b);
      values.push_back(RowMat3::NullaryExpr([&] { return number(random); }));
      if (a == b) values.back() += 5.0 * RowMat3::Identity();
    }
    start.push_back(static_cast<int>(columns.size()));
  }
  return std::make_shared<ExplicitForm>(start, columns, values);
}

FclibProblem random_problem(int blocks) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  FclibProblem data;
  data.title = "random";
  data.description = "eight contacts, \xc3\xa9";
  data.problem.W = random_rows(blocks, random);
  data.problem.kind.assign(static_cast<std::size_t>(blocks), BlockKind::contact);
  for (int a = 0; a < blocks; ++a) data.problem.mu.push_back(number(random));
  for (int k = 0; k < 3 * blocks; ++k) {
    data.problem.B.push_back(number(random) - 0.5);
    data.solution_r.push_back(number(random));
    data.solution_u.push_back(number(random));
  }
  data.guesses = {data.solution_u, data.solution_r};
  return data;
}

void expect_same_rows(const ExplicitForm& a, const ExplicitForm& b) {
  ASSERT_EQ(a.blocks(), b.blocks());
  for (int row = 0; row < a.blocks(); ++row) {
    ASSERT_TRUE(std::ranges::equal(a.columns(row), b.columns(row))) << "row " << row;
    for (std::size_t k = 0; k < a.columns(row).size(); ++k) EXPECT_EQ(a.values(row)[k], b.values(row)[k]) << "row " << row;
  }
}

const ExplicitForm& rows_of(const ContactProblem& problem) { return dynamic_cast<const ExplicitForm&>(*problem.W); }

MatX dense(const solvers::Operator& W) {
  const int n = 3 * W.blocks();
  MatX matrix(n, n);
  for (int k = 0; k < n; ++k) {
    VecX unit = VecX::Unit(n, k);
    W.apply({unit.data(), static_cast<std::size_t>(n)}, {matrix.col(k).data(), static_cast<std::size_t>(n)});
  }
  return matrix;
}

std::string error_of(const std::string& path) {
  try {
    (void)read_fclib(path);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Fclib, LocalProblemComesBackBitForBit) {
  TemporaryFolder folder;
  const FclibProblem data = random_problem(8);
  write_fclib(folder.file("a.hdf5"), data);
  const FclibProblem back = read_fclib(folder.file("a.hdf5"));
  EXPECT_FALSE(back.global);
  EXPECT_EQ(back.dimension, 3);
  EXPECT_EQ(back.title, data.title);
  EXPECT_EQ(back.description, data.description);
  EXPECT_EQ(back.problem.kind, data.problem.kind);
  EXPECT_EQ(back.problem.mu, data.problem.mu);
  EXPECT_EQ(back.problem.B, data.problem.B);
  EXPECT_EQ(back.solution_r, data.solution_r);
  EXPECT_EQ(back.solution_u, data.solution_u);
  EXPECT_EQ(back.guesses, data.guesses);
  EXPECT_TRUE(back.problem.weight.empty());
  expect_same_rows(rows_of(back.problem), rows_of(data.problem));
  EXPECT_FALSE(fs::exists(folder.file("a.hdf5.part" + std::to_string(::getpid()))));
}

TEST(Fclib, MixedBlocksKeepKindAndOrder) {
  TemporaryFolder folder;
  FclibProblem data = random_problem(6);
  data.problem.weight = {0.25, 1.0, 3.0, 1e-6, 1e6, 0.5};
  data.problem.kind = {BlockKind::direction, BlockKind::contact, BlockKind::bilateral,
                       BlockKind::contact,   BlockKind::contact, BlockKind::direction};
  for (std::size_t a = 0; a < 6; ++a)
    if (data.problem.kind[a] != BlockKind::contact) data.problem.mu[a] = 0.0;
  // The format implies V^T, so the rows must be symmetric between contacts and equalities.
  const MatX full = dense(*data.problem.W);
  const MatX symmetric = full + full.transpose();
  std::vector<int> start{0}, columns;
  std::vector<RowMat3> values;
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b < 6; ++b) {
      columns.push_back(b);
      values.push_back(symmetric.block<3, 3>(3 * a, 3 * b));
    }
    start.push_back(static_cast<int>(columns.size()));
  }
  data.problem.W = std::make_shared<ExplicitForm>(start, columns, values);
  write_fclib(folder.file("a.hdf5"), data);
  const FclibProblem back = read_fclib(folder.file("a.hdf5"));
  EXPECT_EQ(back.problem.kind, data.problem.kind);
  EXPECT_EQ(back.problem.mu, data.problem.mu);
  EXPECT_EQ(back.problem.weight, data.problem.weight);
  const MatX W = dense(*back.problem.W);
  for (int i = 0; i < 18; ++i)
    for (int j = 0; j < 18; ++j) {
      const bool meaningless_row = data.problem.kind[static_cast<std::size_t>(i / 3)] == BlockKind::direction && i % 3;
      const bool meaningless_column = data.problem.kind[static_cast<std::size_t>(j / 3)] == BlockKind::direction && j % 3;
      if (!meaningless_row && !meaningless_column) {
        EXPECT_EQ(W(i, j), symmetric(i, j)) << i << "," << j;
      } else {
        // Decoupled, with the diagonal of the direction itself.
        EXPECT_EQ(W(i, j), i == j ? symmetric(3 * (i / 3), 3 * (i / 3)) : 0.0) << i << "," << j;
      }
    }
  // A second trip changes nothing at all.
  write_fclib(folder.file("b.hdf5"), back);
  const FclibProblem again = read_fclib(folder.file("b.hdf5"));
  expect_same_rows(rows_of(again.problem), rows_of(back.problem));
  EXPECT_EQ(again.problem.B, back.problem.B);
}

TEST(Fclib, TwoDimensionalContactsGetAnInactiveTangent) {
  TemporaryFolder folder;
  const std::string path = folder.file("plane.hdf5");
  {
    const h5::Node file = h5::create_file(path);
    const h5::Node root = h5::create_group(file, "fclib_local");
    h5::write_integer(root, "spacedim", 2);
    const h5::Node W = h5::create_group(root, "W");
    h5::write_integer(W, "m", 4);
    h5::write_integer(W, "n", 4);
    h5::write_integer(W, "nzmax", 6);
    h5::write_integer(W, "nz", -1);  // compressed columns
    h5::write_integers(W, "p", std::vector<int>{0, 2, 3, 4, 6});
    h5::write_integers(W, "i", std::vector<int>{0, 3, 1, 2, 0, 3});
    h5::write_reals(W, "x", std::vector<double>{2.0, 0.5, 3.0, 4.0, 0.75, 5.0});
    const h5::Node vectors = h5::create_group(root, "vectors");
    h5::write_reals(vectors, "q", std::vector<double>{-1.0, 0.1, -2.0, 0.2});
    h5::write_reals(vectors, "mu", std::vector<double>{0.3, 0.4});
  }
  const FclibProblem data = read_fclib(path);
  EXPECT_EQ(data.dimension, 2);
  MatX expected = MatX::Zero(6, 6);
  expected.diagonal() << 2.0, 3.0, 3.0, 4.0, 5.0, 5.0;
  expected(0, 4) = 0.75;
  expected(4, 0) = 0.5;
  EXPECT_EQ(dense(*data.problem.W), expected);
  EXPECT_EQ(data.problem.B, (std::vector<double>{-1.0, 0.1, 0.0, -2.0, 0.2, 0.0}));
  write_fclib(folder.file("again.hdf5"), data);
  const FclibProblem back = read_fclib(folder.file("again.hdf5"));
  EXPECT_EQ(back.dimension, 2);
  expect_same_rows(rows_of(back.problem), rows_of(data.problem));
  EXPECT_EQ(back.problem.B, data.problem.B);
}

// Global problem of two 3-dof bodies, one 2-dof body and the ground, written in the given sparse form.
struct GlobalCase {
  MatX M = MatX::Zero(8, 8), H = MatX::Zero(8, 6), G = MatX::Zero(8, 2);
  VecX f = VecX::LinSpaced(8, -1.0, 2.5), w = VecX::LinSpaced(6, 0.1, 0.7), b = VecX::LinSpaced(2, -0.3, 0.4);
  GlobalCase() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto spd = [&](int first, int n) {
      const MatX A = MatX::NullaryExpr(n, n, [&] { return number(random); });
      M.block(first, first, n, n) = A * A.transpose() + MatX::Identity(n, n);
    };
    spd(0, 3);
    spd(3, 2);
    spd(5, 3);
    H.block(0, 0, 5, 3) = MatX::NullaryExpr(5, 3, [&] { return number(random); });
    H.block(5, 3, 3, 3) = MatX::NullaryExpr(3, 3, [&] { return number(random); });
    G.col(0).head(3).setConstant(0.5);
    G.col(1).tail(3).setConstant(-0.25);
  }
};

void write_dense(const h5::Node& parent, const char* name, const MatX& matrix, int form) {
  std::vector<int> p, i;
  std::vector<double> x;
  const bool columns = form == -1;
  const auto outer = columns ? matrix.cols() : matrix.rows(), inner = columns ? matrix.rows() : matrix.cols();
  if (form < 0) p.push_back(0);
  for (Eigen::Index a = 0; a < outer; ++a) {
    for (Eigen::Index b = 0; b < inner; ++b) {
      const double value = columns ? matrix(b, a) : matrix(a, b);
      if (value == 0.0) continue;
      x.push_back(value);
      i.push_back(static_cast<int>(form >= 0 ? a : b));
      if (form >= 0) p.push_back(static_cast<int>(b));
    }
    if (form < 0) p.push_back(static_cast<int>(x.size()));
  }
  const h5::Node node = h5::create_group(parent, name);
  h5::write_integer(node, "m", static_cast<int>(matrix.rows()));
  h5::write_integer(node, "n", static_cast<int>(matrix.cols()));
  h5::write_integer(node, "nzmax", static_cast<int>(x.size()));
  h5::write_integer(node, "nz", form >= 0 ? static_cast<int>(x.size()) : form);
  h5::write_integers(node, "p", p);
  h5::write_integers(node, "i", i);
  h5::write_reals(node, "x", x);
}

void write_global(const std::string& path, const GlobalCase& data, int form, bool equalities) {
  const h5::Node file = h5::create_file(path);
  const h5::Node root = h5::create_group(file, "fclib_global");
  h5::write_integer(root, "spacedim", 3);
  write_dense(root, "M", data.M, form);
  write_dense(root, "H", data.H, form);
  if (equalities) write_dense(root, "G", data.G, form);
  const h5::Node vectors = h5::create_group(root, "vectors");
  h5::write_reals(vectors, "f", std::span(data.f.data(), 8));
  h5::write_reals(vectors, "w", std::span(data.w.data(), 6));
  if (equalities) h5::write_reals(vectors, "b", std::span(data.b.data(), 2));
  h5::write_reals(vectors, "mu", std::vector<double>{0.3, 0.5});
}

TEST(Fclib, GlobalFormIsCondensedByBody) {
  TemporaryFolder folder;
  const GlobalCase data;
  const MatX W = data.H.transpose() * inverse(data.M) * data.H;
  const VecX B = data.H.transpose() * inverse(data.M) * data.f + data.w;
  for (const int form : {0, -1, -2}) {
    write_global(folder.file("g.hdf5"), data, form, false);
    const FclibProblem back = read_fclib(folder.file("g.hdf5"));
    EXPECT_TRUE(back.global);
    const auto* bodies = dynamic_cast<const BodyForm*>(back.problem.W.get());
    ASSERT_NE(bodies, nullptr);
    EXPECT_EQ(bodies->bodies(), 3);
    // Condition number of M is below 100: a few hundred round-offs.
    EXPECT_LT((dense(*back.problem.W) - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
    EXPECT_LT((Eigen::Map<const VecX>(back.problem.B.data(), 6) - B).cwiseAbs().maxCoeff(), 1e-13 * B.cwiseAbs().maxCoeff());
  }
}

TEST(Fclib, EntriesThatCondenseToInfinityAreRefused) {
  TemporaryFolder folder;
  GlobalCase data;
  data.H *= 1e200;  // finite, but its square is not
  write_global(folder.file("g.hdf5"), data, 0, false);
  EXPECT_THROW(read_fclib(folder.file("g.hdf5")), FileError);
}

TEST(Fclib, ContactOnThreeBodiesJoinsThem) {
  TemporaryFolder folder;
  GlobalCase data;
  data.H(6, 0) = 0.5;
  write_global(folder.file("g.hdf5"), data, -2, false);
  const FclibProblem back = read_fclib(folder.file("g.hdf5"));
  EXPECT_EQ(dynamic_cast<const BodyForm&>(*back.problem.W).bodies(), 1);
  const MatX W = data.H.transpose() * inverse(data.M) * data.H;
  EXPECT_LT((dense(*back.problem.W) - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
}

TEST(Fclib, EqualitiesBecomeDirections) {
  TemporaryFolder folder;
  const GlobalCase data;
  write_global(folder.file("g.hdf5"), data, -2, true);
  const FclibProblem back = read_fclib(folder.file("g.hdf5"));
  ASSERT_EQ(back.problem.blocks(), 4);
  EXPECT_EQ(back.problem.kind[3], BlockKind::direction);
  MatX J(8, 8);
  J << data.H.transpose(), data.G.transpose();
  const MatX W = J * inverse(data.M) * J.transpose();
  VecX B = J * inverse(data.M) * data.f;
  B.head(6) += data.w;
  B.tail(2) += data.b;
  const int place[] = {0, 1, 2, 3, 4, 5, 6, 9};
  const MatX got = dense(*back.problem.W);
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(back.problem.B[static_cast<std::size_t>(place[i])], B[i], 1e-13);
    for (int j = 0; j < 8; ++j) EXPECT_NEAR(got(place[i], place[j]), W(i, j), 1e-13);
  }
  EXPECT_NEAR(got(7, 7), got(6, 6), 1e-14 * got(6, 6));
}

// Same M, J, f, w to the bit.
void expect_same_global(const GlobalForm& a, const GlobalForm& b) {
  EXPECT_EQ(MatX(a.M), MatX(b.M));
  EXPECT_EQ(MatX(a.J), MatX(b.J));
  EXPECT_EQ(a.f, b.f);
  EXPECT_EQ(a.w, b.w);
}

TEST(Fclib, GlobalFormComesBackBitForBit) {
  TemporaryFolder folder;
  GlobalCase data;
  for (const bool equalities : {false, true})
    for (const bool symmetric : {true, false}) {
      data.M(0, 1) = data.M(1, 0) + (symmetric ? 0.0 : 0.1);
      write_global(folder.file("g.hdf5"), data, -1, equalities);
      FclibProblem first = read_fclib(folder.file("g.hdf5"));
      std::mt19937 random(5);
      std::uniform_real_distribution<double> number(0.0, 1.0);
      for (const solvers::BlockKind kind : first.problem.kind)
        for (int c = 0; c < 3; ++c) first.solution_r.push_back(kind == BlockKind::direction && c ? 0.0 : number(random));
      first.solution_u.resize(first.solution_r.size());
      first.problem.W->apply(first.solution_r, first.solution_u);
      for (std::size_t k = 0; k < first.solution_u.size(); ++k) first.solution_u[k] += first.problem.B[k];
      first.guesses = {first.solution_r};
      write_fclib(folder.file("h.hdf5"), first);
      const FclibProblem back = read_fclib(folder.file("h.hdf5"));
      ASSERT_TRUE(back.global);
      expect_same_global(*first.global, *back.global);
      EXPECT_EQ(back.problem.B, first.problem.B);
      EXPECT_EQ(back.problem.mu, first.problem.mu);
      EXPECT_EQ(back.problem.kind, first.problem.kind);
      EXPECT_EQ(dense(*back.problem.W), dense(*first.problem.W));
      EXPECT_EQ(back.solution_r, first.solution_r);
      EXPECT_EQ(back.guesses, first.guesses);
      // v was computed: it obeys both of the format's equations, to a few hundred round-offs (condition of M below 100).
      const GlobalForm& form = *back.global;
      ASSERT_EQ(back.solution_v.size(), 8u);
      const Eigen::Map<const VecX> v(back.solution_v.data(), 8);
      VecX scalars(form.J.rows()), u(form.J.rows());
      for (int k = 0; k < scalars.size(); ++k) {
        const auto place = static_cast<std::size_t>(k < 6 ? k : 6 + 3 * (k - 6));
        scalars[k] = back.solution_r[place];
        u[k] = first.solution_u[place];
      }
      const VecX f = Eigen::Map<const VecX>(form.f.data(), 8), w = Eigen::Map<const VecX>(form.w.data(), form.J.rows());
      EXPECT_LT((form.M * v - form.J.transpose() * scalars - f).norm(), 1e-13 * f.norm());
      EXPECT_LT((form.J * v + w - u).norm(), 1e-13 * u.norm());
    }
}

TEST(Fclib, EqualitiesKeepTheBodyForm) {
  TemporaryFolder folder;
  write_global(folder.file("g.hdf5"), GlobalCase(), -2, true);
  const FclibProblem back = read_fclib(folder.file("g.hdf5"));
  EXPECT_NE(dynamic_cast<const BodyForm*>(back.problem.W.get()), nullptr);
  // Every diagonal block is regular, those of directions like their normal.
  const Mat3& block = back.problem.W->diagonal()[3];
  EXPECT_NEAR((block - block(0, 0) * Mat3::Identity()).norm(), 0.0, 1e-14 * block(0, 0));
}

TEST(Fclib, TwoDimensionalGlobalFormKeepsBodies) {
  TemporaryFolder folder;
  const std::string path = folder.file("plane.hdf5");
  GlobalCase data;
  {
    const h5::Node file = h5::create_file(path);
    const h5::Node root = h5::create_group(file, "fclib_global");
    h5::write_integer(root, "spacedim", 2);
    write_dense(root, "M", data.M, -2);
    write_dense(root, "H", data.H, -2);
    const h5::Node vectors = h5::create_group(root, "vectors");
    h5::write_reals(vectors, "f", std::span(data.f.data(), 8));
    h5::write_reals(vectors, "w", std::span(data.w.data(), 6));
    h5::write_reals(vectors, "mu", std::vector<double>{0.3, 0.5, 0.1});
  }
  const FclibProblem back = read_fclib(path);
  ASSERT_EQ(back.problem.blocks(), 3);
  EXPECT_NE(dynamic_cast<const BodyForm*>(back.problem.W.get()), nullptr);
  const MatX W = data.H.transpose() * inverse(data.M) * data.H, got = dense(*back.problem.W);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_NEAR(got(3 * (i / 2) + i % 2, 3 * (j / 2) + j % 2), W(i, j), 1e-13 * W.cwiseAbs().maxCoeff());
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(back.problem.B[static_cast<std::size_t>(3 * a + 2)], 0.0);
    EXPECT_NEAR(got(3 * a + 2, 3 * a + 2), got(3 * a + 1, 3 * a + 1), 1e-14 * got(3 * a + 1, 3 * a + 1));
    for (int j = 0; j < 9; ++j) EXPECT_TRUE(j % 3 == 2 || got(3 * a + 2, j) == 0.0);
  }
  write_fclib(folder.file("again.hdf5"), back);
  expect_same_global(*read_fclib(folder.file("again.hdf5")).global, *back.global);
}

TEST(Fclib, BodyFormBecomesAGlobalProblemOfTheSameContacts) {
  TemporaryFolder folder;
  write_global(folder.file("g.hdf5"), GlobalCase(), -2, true);
  FclibProblem data = read_fclib(folder.file("g.hdf5"));
  const auto& form = dynamic_cast<const BodyForm&>(*data.problem.W);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<BodyVelocity> bodies;
  for (int b = 0; b < form.bodies(); ++b) {
    const int n = form.body_dofs(b);
    bodies.push_back({MatX::NullaryExpr(n, n, [&] { return number(random); }) + 3.0 * MatX::Identity(n, n), VecX::NullaryExpr(n, [&] { return number(random); })});
  }
  // With and without true velocities the condensed problem stays what it was: condition numbers are below 100.
  for (const bool velocities : {false, true}) {
    FclibProblem copy = data;
    copy.global = make_global(data.problem, 3, velocities ? std::span<const BodyVelocity>(bodies) : std::span<const BodyVelocity>());
    write_fclib(folder.file("h.hdf5"), copy);
    const FclibProblem back = read_fclib(folder.file("h.hdf5"));
    const MatX W = dense(*data.problem.W), got = dense(*back.problem.W);
    for (int k = 0; k < 12; ++k) {
      if (k == 7 || k == 8 || k == 10 || k == 11) continue;  // tangents of directions are not in the file
      EXPECT_NEAR(back.problem.B[static_cast<std::size_t>(k)], data.problem.B[static_cast<std::size_t>(k)], 1e-12);
      for (int j = 0; j < 7; ++j) EXPECT_NEAR(got(k, j), W(k, j), 1e-12 * W.cwiseAbs().maxCoeff());
    }
  }
  data.problem.W = std::make_shared<ExplicitForm>(solvers::make_explicit(form));
  EXPECT_THROW((void)make_global(data.problem), InputError);
}

TEST(Fclib, MotionOutOfThePlaneIsNotWrittenAsTwoDimensional) {
  TemporaryFolder folder;
  FclibProblem data = random_problem(3);
  data.dimension = 2;
  EXPECT_THROW(write_fclib(folder.file("a.hdf5"), data), InputError);
  EXPECT_FALSE(fs::exists(folder.file("a.hdf5")));
}

TEST(Fclib, AsymmetricMassGivesExplicitRows) {
  TemporaryFolder folder;
  GlobalCase data;
  data.M(0, 1) += 0.1;
  write_global(folder.file("g.hdf5"), data, 0, false);
  const FclibProblem back = read_fclib(folder.file("g.hdf5"));
  const MatX W = data.H.transpose() * inverse(data.M) * data.H;
  EXPECT_LT((dense(rows_of(back.problem)) - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
}

// Replace a dataset of an otherwise good file.
void replace(const std::string& path, const std::string& group, const std::string& name, const std::function<void(const h5::Node&)>& write) {
  h5::Node node = h5::open_journaled(path, true);
  std::size_t at = 0;
  while (at < group.size()) {
    const std::size_t end = std::min(group.find('/', at), group.size());
    node = h5::open_group(node, group.substr(at, end - at));
    at = end + 1;
  }
  H5Ldelete(node.id.get(), name.c_str(), H5P_DEFAULT);
  if (write) write(node);
}

TEST(Fclib, DamagedContentIsRefusedByName) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.hdf5");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    const char *group, *name;
    std::function<void(const h5::Node&)> write;
    const char* message;
  };
  const auto integers = [](const char* name, std::vector<int> values) {
    return [=](const h5::Node& node) { h5::write_integers(node, name, values); };
  };
  const auto reals = [](const char* name, std::vector<double> values) {
    return [=](const h5::Node& node) { h5::write_reals(node, name, values); };
  };
  const Case cases[] = {
      {"", "fclib_local", {}, "not an FCLIB file"},
      {"", "fclib_local", reals("fclib_local", {1.0}), "not a group"},
      {"fclib_local", "W", {}, "'/fclib_local/W' is missing"},
      {"fclib_local", "vectors", {}, "missing"},
      {"fclib_local", "spacedim", {}, "missing"},
      {"fclib_local", "spacedim", integers("spacedim", {4}), "is 4, must be within [2, 3]"},
      {"fclib_local", "spacedim", integers("spacedim", {2}), "mu' has 2 entries, 3 expected"},
      {"fclib_local/W", "m", integers("m", {2000000000}), "must be within"},
      {"fclib_local/W", "m", integers("m", {900}), "is 900 x 6, the vectors ask for 6 x 6"},
      {"fclib_local/W", "m", [](const h5::Node& n) { h5::write_integers(n, "m", std::vector<std::int64_t>{1000000000000}); }, "must be within"},
      {"fclib_local/W", "n", integers("n", {-6}), "must be within"},
      {"fclib_local/W", "nz", integers("nz", {-3}), "must be within"},
      {"fclib_local/W", "nz", integers("nz", {1000000}), "announces 1000000 entries"},
      {"fclib_local/W", "p", integers("p", {0, 1, 2}), "has 3 entries, 7 expected"},
      {"fclib_local/W", "p", integers("p", {0, 9, 2, 3, 4, 5, 6}), "must ascend"},
      {"fclib_local/W", "p", integers("p", {0, 1, 2, 3, 4, 5, 99999}), "must ascend"},
      {"fclib_local/W", "p", integers("p", {-5, 1, 2, 3, 4, 5, 6}), "must ascend"},
      {"fclib_local/W", "i", integers("i", std::vector<int>(18, 6)), "holds index 6, must be within [0, 6)"},
      {"fclib_local/W", "i", integers("i", std::vector<int>(18, -1)), "holds index -1"},
      {"fclib_local/W", "x", reals("x", std::vector<double>(18, nan)), "must be finite"},
      {"fclib_local/W", "x", [](const h5::Node& n) { h5::write_text(n, "x", "none"); }, "must hold numbers"},
      {"fclib_local/vectors", "q", reals("q", {0, 0, nan, 0, 0, 0}), "'/fclib_local/vectors/q' entry 2 is nan"},
      {"fclib_local/vectors", "q", reals("q", {0, 0, 0}), "vectors ask for 3 x 3"},
      {"fclib_local/vectors", "mu", reals("mu", {0.1, -0.2}), "entry 1 is -0.2, must be >= 0"},
      {"fclib_local/vectors", "mu", reals("mu", {0.1}), "has 1 entries, 2 expected"},
      {"fclib_local/info", "title", reals("title", {0.1}), "must hold one string"},
      {"solution", "r", reals("r", {0.1}), "has 1 entries, 6 expected"},
      {"guesses", "number_of_guesses", integers("number_of_guesses", {100000000}), "must be within"},
      {"guesses", "number_of_guesses", integers("number_of_guesses", {3}), "'/guesses/3' is missing"},
  };
  FclibProblem good = random_problem(2);
  for (const Case& c : cases) {
    write_fclib(path, good);
    replace(path, c.group, c.name, c.write);
    EXPECT_NE(error_of(path).find(c.message), std::string::npos) << c.group << "/" << c.name << ": " << error_of(path);
  }
}

TEST(Fclib, HugeClaimsAreNotAllocated) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.hdf5");
  write_fclib(path, random_problem(2));
  // A chunked dataset of 10^12 entries with nothing stored, and one kept in another file.
  replace(path, "fclib_local/vectors", "q", [](const h5::Node& node) {
    const hsize_t size = 1000000000000, chunk = 1024;
    const h5::Id space(H5Screate_simple(1, &size, nullptr), H5Sclose), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(list.get(), 1, &chunk);
    const h5::Id data(H5Dcreate2(node.id.get(), "q", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose);
  });
  EXPECT_NE(error_of(path).find("claims"), std::string::npos) << error_of(path);
  write_fclib(path, random_problem(2));
  replace(path, "fclib_local/vectors", "q", [](const h5::Node& node) {
    const hsize_t size = 6;
    const h5::Id space(H5Screate_simple(1, &size, nullptr), H5Sclose), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(list.get(), "/etc/passwd", 0, 48);
    const h5::Id data(H5Dcreate2(node.id.get(), "q", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose);
  });
  EXPECT_NE(error_of(path).find("another file"), std::string::npos) << error_of(path);
  write_fclib(path, random_problem(2));
  replace(path, "fclib_local", "W", [](const h5::Node& node) { H5Lcreate_external("other.hdf5", "/W", node.id.get(), "W", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_NE(error_of(path).find("link to another file"), std::string::npos) << error_of(path);
}

TEST(Fclib, WhatIsNotAFileIsRefused) {
  TemporaryFolder folder;
  EXPECT_NE(error_of(folder.file("missing.hdf5")).find("no such file"), std::string::npos);
  EXPECT_NE(error_of(folder.path()).find("not a regular file"), std::string::npos);
  write_bytes(folder.file("text"), std::vector<char>(300, 'x'), 300);
  EXPECT_NE(error_of(folder.file("text")).find("not an HDF5 file"), std::string::npos);
  write_bytes(folder.file("empty"), {}, 0);
  EXPECT_NE(error_of(folder.file("empty")).find("not an HDF5 file"), std::string::npos);
  EXPECT_THROW(write_fclib(folder.path(), random_problem(2)), FileError);
  EXPECT_THROW(write_fclib(folder.file("no/such/folder.hdf5"), random_problem(2)), FileError);
}

TEST(Fclib, TruncatedFilesAreRefused) {
  TemporaryFolder folder;
  write_fclib(folder.file("a.hdf5"), random_problem(4));
  const auto bytes = read_bytes(folder.file("a.hdf5"));
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    write_bytes(folder.file("cut.hdf5"), bytes, size);
    EXPECT_THROW((void)read_fclib(folder.file("cut.hdf5")), FileError) << size;
  }
}

TEST(Fclib, AddressesThatPointNowhereDoNoHarm) {
  TemporaryFolder folder;
  write_fclib(folder.file("a.hdf5"), random_problem(4));
  EXPECT_GT(read_with_wrong_addresses(folder.file("a.hdf5"), 1, [](const std::string& path) { (void)read_fclib(path); }), 100);
}

TEST(Fclib, WritingChecksItsInput) {
  TemporaryFolder folder;
  FclibProblem data = random_problem(2);
  data.solution_r.pop_back();
  EXPECT_THROW(write_fclib(folder.file("a.hdf5"), data), InputError);
  data = random_problem(2);
  data.dimension = 1;
  EXPECT_THROW(write_fclib(folder.file("a.hdf5"), data), InputError);
  data = random_problem(2);
  data.problem.mu[0] = -1.0;
  EXPECT_THROW(write_fclib(folder.file("a.hdf5"), data), InputError);
  EXPECT_FALSE(fs::exists(folder.file("a.hdf5")));
}

TEST(Fclib, BlocksOfOtherLawsAreRefusedByName) {
  struct Spring final : solvers::Law {
    [[nodiscard]] std::string name() const override { return "spring"; }
    [[nodiscard]] Vec3 project(const Vec3& trial, double) const noexcept override { return trial; }
    [[nodiscard]] solvers::LawPoint point(const Vec3& y, double) const noexcept override { return {y, Mat3::Identity(), false}; }
  };
  TemporaryFolder folder;
  FclibProblem data = random_problem(3);
  data.problem.kind[1] = solvers::register_law(std::make_unique<Spring>());
  try {
    write_fclib(folder.file("a.hdf5"), data);
    FAIL() << "was written";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("spring"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(folder.file("a.hdf5")));
}

// Files of the shared collection, when it is there.
std::vector<fs::path> shared(const char* form) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(SCREE_SHARED_DATA) / "fc3d" / form;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Fclib, RealLocalProblemsSurviveARoundTrip) {
  TemporaryFolder folder;
  for (const auto& path : shared("local")) {
    const FclibProblem data = read_fclib(path.string());
    EXPECT_EQ(data.dimension, 3);
    write_fclib(folder.file("a.hdf5"), data);
    const FclibProblem back = read_fclib(folder.file("a.hdf5"));
    expect_same_rows(rows_of(back.problem), rows_of(data.problem));
    EXPECT_EQ(back.problem.B, data.problem.B);
    EXPECT_EQ(back.problem.mu, data.problem.mu);
  }
}

TEST(Fclib, RealGlobalProblemsAgreeWithTheirLocalTwins) {
  for (const auto& path : shared("global")) {
    const FclibProblem global = read_fclib(path.string());
    const FclibProblem local = read_fclib((path.parent_path().parent_path() / "local" / path.filename()).string());
    EXPECT_TRUE(global.global);
    ASSERT_EQ(global.problem.blocks(), local.problem.blocks()) << path;
    EXPECT_EQ(global.problem.mu, local.problem.mu) << path;
    const MatX W = dense(*global.problem.W), twin = dense(*local.problem.W);
    const Eigen::Map<const VecX> B(global.problem.B.data(), W.rows()), q(local.problem.B.data(), W.rows());
    // Factors differ (Cholesky here, LU there); the stiff blocks have condition numbers near 1e7.
    EXPECT_LT((W - twin).cwiseAbs().maxCoeff(), 1e-9 * twin.cwiseAbs().maxCoeff()) << path;
    EXPECT_LT((B - q).cwiseAbs().maxCoeff(), 1e-9 * q.cwiseAbs().maxCoeff()) << path;
    // Stored solutions satisfy u = W r + q to what their solver reached (1e-4 of the velocities).
    if (global.solution_r.empty()) continue;
    const Eigen::Map<const VecX> r(global.solution_r.data(), W.rows()), u(global.solution_u.data(), W.rows());
    EXPECT_LT((W * r + B - u).norm(), 1e-4 * u.norm()) << path;
  }
}

TEST(Fclib, RealRigidBodiesAreFoundInADiagonalMass) {
  for (const auto& path : shared("global")) {
    if (path.stem() != "Spheres-i099-356-679" && path.stem() != "Box_Stacks-i0122-82-5") continue;
    const FclibProblem data = read_fclib(path.string());
    const auto& form = dynamic_cast<const BodyForm&>(*data.problem.W);
    EXPECT_TRUE(form.rigid()) << path;
  }
}

}  // namespace
}  // namespace scree::io
