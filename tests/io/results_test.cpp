#include "io/results.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "core/error.hpp"
#include "geometry/mass.hpp"
#include "io/journal_driver.hpp"
#include "sample_results.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

ResultsInfo sample_info(bool compress = false) {
  ResultsInfo info;
  info.title = "sample";
  info.scree_version = "0.1.0";
  info.compress = compress;
  return info;
}

BodyRow body(std::int64_t id, std::int32_t shape, StoredKind kind = StoredKind::rigid) {
  BodyRow row;
  row.id = id;
  row.label = id % 2 ? "odd" : "";
  row.material = "steel";
  row.kind = kind;
  row.shape = shape;
  row.volume_id = 3;
  row.mass = 1.5 + static_cast<double>(id);
  row.volume = 0.5;
  row.center = Vec3(0.1, 0.2, static_cast<double>(id));
  row.radius = 0.25;
  row.tensor << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  return row;
}

void write_sample(const std::string& path, int frames, bool compress) {
  ResultsWriter writer(path, sample_info(compress));
  const auto sphere = writer.add_shape(geometry::make_sphere(Vec3(1, 2, 3), 0.5, 1, 2), Vec3(1, 2, 3));
  std::vector<std::int32_t> rows;
  for (int id = 0; id < 4; ++id) rows.push_back(writer.add_body(body(id, sphere)));
  for (int k = 0; k < frames; ++k) {
    writer.add_step(sample_step(k));
    writer.add_frame(sample_frame(k, rows, 3 + k % 5));
  }
}

TEST(Results, EverythingComesBackBitForBit) {
  for (const bool compress : {false, true}) {
    TemporaryFolder folder;
    const std::string path = folder.file("results.h5");
    write_sample(path, 30, compress);
    EXPECT_FALSE(std::filesystem::exists(journal_path(path)));
    const ResultsReader reader(path);
    EXPECT_EQ(reader.info().title, "sample");
    EXPECT_EQ(reader.info().scree_version, "0.1.0");
    EXPECT_EQ(reader.info().stages, sample_info().stages);
    ASSERT_EQ(reader.frames(), 30);
    for (int k : {29, 0, 17}) {
      EXPECT_TRUE(same_frames(reader.frame(k), sample_frame(k, {0, 1, 2, 3}, 3 + k % 5))) << k;
      EXPECT_EQ(reader.time(k), 0.25 * k);
    }
    EXPECT_EQ(reader.contacts(17).force, reader.frame(17).force);
    EXPECT_EQ(reader.contacts(17).constraint, reader.frame(17).constraint);
    EXPECT_TRUE(reader.contacts(17).body.empty());
    EXPECT_EQ(reader.body_range(2).first, 8);
    EXPECT_EQ(reader.body_range(2).count, 4);
    EXPECT_EQ(reader.contact_range(2).first, 7);
    EXPECT_EQ(reader.contact_range(2).count, 5);
    EXPECT_EQ(reader.energies()[4].damping, 11.0);
    const auto steps = reader.steps();
    ASSERT_EQ(steps.size(), 30u);
    const StepRow expected = sample_step(7);
    EXPECT_EQ(steps[7].time, expected.time);
    EXPECT_EQ(steps[7].iterations, expected.iterations);
    EXPECT_EQ(steps[7].residual, expected.residual);
    EXPECT_EQ(steps[7].status, expected.status);
    EXPECT_EQ(steps[7].penetration_max, expected.penetration_max);
    for (int stage = 0; stage < model::kStages; ++stage) EXPECT_EQ(steps[7].seconds(stage), expected.seconds(stage));
    ASSERT_EQ(reader.bodies().size(), 4u);
    EXPECT_EQ(reader.bodies()[3].label, "odd");
    EXPECT_EQ(reader.bodies()[2].label, "");
    EXPECT_EQ(reader.bodies()[2].material, "steel");
    EXPECT_EQ(reader.bodies()[2].mass, 3.5);
    EXPECT_EQ(reader.bodies()[2].center, Vec3(0.1, 0.2, 2.0));
    EXPECT_EQ(reader.bodies()[2].tensor(1, 2), 6.0);
    EXPECT_EQ(reader.bodies()[2].last_frame, -1);
    EXPECT_THROW((void)reader.frame(30), InputError);
    EXPECT_THROW((void)reader.frame(-1), InputError);
    EXPECT_THROW((void)reader.time(30), InputError);
  }
}

TEST(Results, EqualShapesAreStoredOnce) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  {
    ResultsWriter writer(path, sample_info());
    // Cubes far from the origin: relative coordinates differ in the last bits only.
    for (int k = 0; k < 50; ++k) {
      const geometry::Shape shape = cube(Vec3(0.1 * k, 10.0 + 0.3 * k, 7.7), 0.05);
      const Vec3 center = geometry::mass_properties(shape, 1.0).center;
      EXPECT_EQ(writer.add_shape(shape, center), 0);
    }
    EXPECT_EQ(writer.add_shape(cube(Vec3::Zero(), 0.0500001), Vec3::Constant(0.02500005)), 1);
    EXPECT_EQ(writer.add_shape(geometry::make_sphere(Vec3::Zero(), 0.05, 1, 2), Vec3::Zero()), 2);
    EXPECT_EQ(writer.add_shape(geometry::make_sphere(Vec3::Zero(), 0.05, 1, 3), Vec3::Zero()), 3);
    EXPECT_EQ(writer.add_shape(geometry::make_sphere(Vec3(5, 5, 5), 0.05, 1, 2), Vec3(5, 5, 5)), 2);
  }
  const ResultsReader reader(path);
  ASSERT_EQ(reader.shapes().size(), 4u);
  const auto faces = boundary_faces(reader.shapes()[0].pieces[0]);
  EXPECT_EQ(faces.size(), 6u);
  EXPECT_EQ(reader.shapes()[0].points(), 8);
  EXPECT_EQ(reader.shapes()[2].pieces[0].reals, (std::vector<double>{0, 0, 0, 0.05}));
}

TEST(Results, MeshesKeepElementsAndBoundary) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  std::vector<Vec3> corners;
  for (const auto& c : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 1, 1), Vec3(0, 1, 1)}) corners.push_back(c);
  const int surfaces[6] = {1, 2, 3, 4, 5, 6};
  const geometry::Mesh mesh = geometry::make_hex(std::span<const Vec3, 8>(corners.data(), 8), 2, 2, 2, 9, surfaces);
  Frame frame = sample_frame(0, {0, 1}, 0);
  {
    ResultsWriter writer(path, sample_info());
    const auto shape = writer.add_shape(geometry::make_shape(mesh), Vec3::Constant(0.5));
    writer.add_body(body(0, shape, StoredKind::finite_element));
    writer.add_body(body(1, writer.add_shape(geometry::make_sphere(Vec3::Zero(), 1.0, 1, 2), Vec3::Zero())));
    frame.node_position.assign(3 * 27, 0.125);
    frame.node_velocity.assign(3 * 27, 0.5);
    frame.node_mises.assign(27, 2e6f);
    writer.add_frame(frame);
    frame.node_position.pop_back();
    EXPECT_THROW(writer.add_frame(frame), InputError);
    frame.node_position.push_back(0.125);
  }
  const ResultsReader reader(path);
  ASSERT_EQ(reader.shapes()[0].pieces.size(), 1u);
  const StoredPiece& piece = reader.shapes()[0].pieces[0];
  EXPECT_EQ(piece.kind, PieceKind::mesh);
  EXPECT_EQ(piece.points(), 27);
  EXPECT_EQ(elements(piece).size(), 8u);
  const auto faces = boundary_faces(piece);
  EXPECT_EQ(faces.size(), 24u);
  for (const StoredFace& face : faces) EXPECT_TRUE(face.surface >= 1 && face.surface <= 6);
  EXPECT_TRUE(same_frames(reader.frame(0), frame));
}

TEST(Results, BodiesComeAndGo) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  {
    ResultsWriter writer(path, sample_info());
    writer.add_body(body(0, -1));
    writer.add_frame(sample_frame(0, {0}, 0));
    writer.add_body(body(7, -1));
    EXPECT_EQ(writer.row_of(7), 1);
    EXPECT_EQ(writer.row_of(8), -1);
    EXPECT_THROW(writer.add_body(body(7, -1)), InputError);
    EXPECT_THROW(writer.add_body(body(8, 5)), InputError);
    writer.add_frame(sample_frame(1, {0, 1}, 2));
    writer.remove_body(0);
    writer.add_frame(sample_frame(2, {1}, 1));
  }
  const ResultsReader reader(path);
  EXPECT_EQ(reader.bodies()[0].first_frame, 0);
  EXPECT_EQ(reader.bodies()[0].last_frame, 1);
  EXPECT_EQ(reader.bodies()[1].first_frame, 1);
  EXPECT_EQ(reader.bodies()[1].last_frame, -1);
  EXPECT_TRUE(same_frames(reader.frame(0), sample_frame(0, {0}, 0)));
  EXPECT_TRUE(same_frames(reader.frame(1), sample_frame(1, {0, 1}, 2)));
  EXPECT_TRUE(same_frames(reader.frame(2), sample_frame(2, {1}, 1)));
}

TEST(Results, StatesOfDeformableBodiesAreFoundAgain) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  {
    ResultsWriter writer(path, sample_info());
    const auto sphere = writer.add_shape(geometry::make_sphere(Vec3::Zero(), 0.5, 1, 2), Vec3::Zero());
    for (int id = 0; id < 3; ++id) {
      BodyRow row = body(id, sphere, id == 1 ? StoredKind::rigid : StoredKind::pseudo_rigid);
      row.unknowns = id == 1 ? 0 : 2 + id;
      writer.add_body(row);
    }
    Frame first = sample_frame(0, {0, 1, 2}, 0), second = sample_frame(1, {2, 1}, 0);
    first.state = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    second.state = {21, 22, 23, 24, 25, 26, 27, 28};
    writer.add_frame(first);
    second.state.pop_back();
    EXPECT_THROW(writer.add_frame(second), InputError);
    second.state.push_back(28);
    writer.add_frame(second);
  }
  const ResultsReader reader(path);
  EXPECT_EQ(reader.bodies()[2].unknowns, 4);
  EXPECT_EQ(reader.state(0, 0), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(reader.state(0, 2), (std::vector<double>{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(reader.state(1, 2), (std::vector<double>{21, 22, 23, 24, 25, 26, 27, 28}));
  EXPECT_TRUE(reader.state(1, 0).empty());
  EXPECT_TRUE(reader.state(0, 1).empty());
  EXPECT_EQ(reader.frame(1).state.size(), 8u);
  EXPECT_THROW((void)reader.state(2, 0), InputError);
}

TEST(Results, HistoriesAreTheFramesNumbers) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  // 100 bodies: one wanted body is read alone, many in blocks; frame k misses body k and has the others in another order
  constexpr int kBodies = 100, kFrames = 6;
  {
    ResultsWriter writer(path, sample_info());
    const auto sphere = writer.add_shape(geometry::make_sphere(Vec3::Zero(), 0.5, 1, 2), Vec3::Zero());
    for (int id = 0; id < kBodies; ++id) writer.add_body(body(id, sphere));
    for (int k = 0; k < kFrames; ++k) {
      std::vector<std::int32_t> rows;
      for (int i = 0; i < kBodies; ++i)
        if (i != k) rows.push_back(i);
      std::rotate(rows.begin(), rows.begin() + k / 2, rows.end());
      writer.add_frame(sample_frame(k, rows, 1));
    }
  }
  const ResultsReader reader(path);
  std::vector<std::int32_t> all(kBodies);
  std::iota(all.begin(), all.end(), 0);
  using Motion = ResultsReader::Motion;
  for (const std::vector<std::int32_t>& wanted : {std::vector<std::int32_t>{3}, all}) {
    for (const std::vector<std::int64_t>& frames : {std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}, std::vector<std::int64_t>{4, 1, 3}}) {
      const auto place = reader.history(Motion::position, wanted, frames), turn = reader.history(Motion::rotation, wanted, frames);
      const auto energy = reader.history(Motion::energy, wanted, frames);
      for (std::size_t f = 0; f < frames.size(); ++f) {
        const Frame frame = reader.frame(frames[f]);
        for (std::size_t b = 0; b < wanted.size(); ++b) {
          const std::size_t at = f * wanted.size() + b;
          const auto found = std::find(frame.body.begin(), frame.body.end(), wanted[b]);
          if (found == frame.body.end()) {
            EXPECT_TRUE(std::isnan(place[3 * at]));
            continue;
          }
          const auto row = static_cast<std::size_t>(found - frame.body.begin());
          for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(place[3 * at + i], frame.position[3 * row + i]);
          for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(turn[9 * at + i], frame.rotation[9 * row + i]);
          for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(energy[6 * at + i], frame.body_energy[6 * row + i]);
        }
      }
    }
  }
  EXPECT_THROW((void)reader.history(Motion::position, {kBodies}, {0}), InputError);
  EXPECT_THROW((void)reader.history(Motion::position, {0}, {kFrames}), InputError);
}

TEST(Results, BadFramesAreRefusedWhole) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  {
    ResultsWriter writer(path, sample_info());
    writer.add_body(body(0, -1));
    Frame frame = sample_frame(0, {0}, 2);
    frame.rotation.pop_back();
    EXPECT_THROW(writer.add_frame(frame), InputError);
    frame = sample_frame(0, {0}, 2);
    frame.position[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(writer.add_frame(frame), InputError);
    EXPECT_THROW(writer.add_frame(sample_frame(0, {1}, 2)), InputError);
    frame = sample_frame(0, {0}, 2);
    frame.pair[0] = 4;
    EXPECT_THROW(writer.add_frame(frame), InputError);
    EXPECT_EQ(writer.frames(), 0);
    writer.add_frame(sample_frame(5, {0}, 2));
  }
  const ResultsReader reader(path);
  ASSERT_EQ(reader.frames(), 1);
  EXPECT_TRUE(same_frames(reader.frame(0), sample_frame(5, {0}, 2)));
}

TEST(Results, ResumeDropsWhatCameLater) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  {
    ResultsWriter writer(path, sample_info());
    const auto shape = writer.add_shape(cube(Vec3::Zero(), 1.0), Vec3::Constant(0.5));
    writer.add_body(body(0, shape));
    for (int k = 0; k < 3; ++k) writer.add_frame(sample_frame(k, {0}, 2));
    for (int k = 0; k < 40; ++k) writer.add_step(sample_step(k));
    writer.add_body(body(1, shape));
    writer.add_frame(sample_frame(3, {0, 1}, 4));
    writer.remove_body(0);
    writer.add_frame(sample_frame(4, {1}, 4));
  }
  {
    ResultsWriter writer = ResultsWriter::resume(path, 0.5);
    EXPECT_EQ(writer.frames(), 3);
    EXPECT_EQ(writer.row_of(0), 0);
    EXPECT_EQ(writer.row_of(1), -1);
    EXPECT_EQ(writer.add_shape(cube(Vec3::Zero(), 1.0), Vec3::Constant(0.5)), 0);
    EXPECT_EQ(writer.add_body(body(1, 0)), 1);
    writer.add_step(sample_step(99));
    writer.add_frame(sample_frame(9, {0, 1}, 1));
  }
  const ResultsReader reader(path);
  ASSERT_EQ(reader.frames(), 4);
  EXPECT_TRUE(same_frames(reader.frame(2), sample_frame(2, {0}, 2)));
  EXPECT_TRUE(same_frames(reader.frame(3), sample_frame(9, {0, 1}, 1)));
  EXPECT_EQ(reader.bodies().size(), 2u);
  EXPECT_EQ(reader.bodies()[0].last_frame, -1);
  const auto steps = reader.steps();
  ASSERT_EQ(steps.size(), 22u);  // times 0 to 0.5 in steps of 0.025, and one more
  EXPECT_EQ(steps.back().step, 99);
}

// Write frames until killed; tell the parent about each one that add_frame() has finished.
[[noreturn]] void write_until_killed(const std::string& path, int pipe, bool resume, int bodies, bool compress, std::chrono::microseconds pause) {
  std::int64_t k = 0;
  std::vector<std::int32_t> rows;
  ResultsWriter writer = resume ? ResultsWriter::resume(path, 1e9) : ResultsWriter(path, sample_info(compress));
  k = writer.frames();
  for (int id = 0; id < bodies; ++id) rows.push_back(writer.row_of(id) >= 0 ? writer.row_of(id) : writer.add_body(body(id, -1)));
  for (;; ++k) {
    writer.add_step(sample_step(static_cast<int>(k)));
    writer.add_frame(sample_frame(static_cast<int>(k), rows, bodies + static_cast<int>(k % 7)));
    if (::write(pipe, &k, sizeof k) != sizeof k) _exit(3);
    std::this_thread::sleep_for(pause);
  }
}

// A writer in a process of its own, killed at the latest when this goes out of scope.
class Writer {
 public:
  Writer(const std::string& path, bool resume, int bodies, bool compress, std::chrono::microseconds pause = {}) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::close(ends[0]);
      write_until_killed(path, ends[1], resume, bodies, compress, pause);
    }
    ::close(ends[1]);
    reports_ = ends[0];
  }
  ~Writer() {
    kill();
    ::close(reports_);
  }
  // Number of a finished frame; -1 when there are no more reports.
  std::int64_t report() {
    std::int64_t k;
    return ::read(reports_, &k, sizeof k) == sizeof k ? k : -1;
  }
  // True when it was alive until now.
  bool kill() {
    if (child_ <= 0) return false;
    ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t child_ = -1;
  int reports_ = -1;
};

struct Killed {
  std::int64_t reported = -1;  // last frame whose add_frame() returned
  bool by_kill = false;
};

Killed run_and_kill(const std::string& path, bool resume, int bodies, bool compress, std::chrono::microseconds after) {
  Writer writer(path, resume, bodies, compress);
  Killed result;
  // Time runs from the first frame of this process.
  result.reported = writer.report();
  std::this_thread::sleep_for(after);
  result.by_kill = writer.kill();
  for (std::int64_t k; (k = writer.report()) >= 0;) result.reported = k;
  return result;
}

TEST(Results, KilledWriterLeavesEveryFinishedFrame) {
  TemporaryFolder folder;
  std::mt19937 random(11);
  for (int round = 0; round < 12; ++round) {
    const std::string path = folder.file("results" + std::to_string(round) + ".h5");
    const int bodies = round % 3 == 2 ? 2000 : 5;
    std::int64_t before = -1;
    // Kill, read, go on with the same file, kill again.
    for (int life = 0; life < 3; ++life) {
      const auto after = std::chrono::microseconds(std::uniform_int_distribution<int>(0, 30000)(random));
      const Killed killed = run_and_kill(path, life > 0, bodies, round % 2 == 1, after);
      ASSERT_TRUE(killed.by_kill) << "the writer ended by itself";
      ASSERT_GT(killed.reported, before) << "round " << round << " life " << life;
      const ResultsReader reader(path);
      ASSERT_GE(reader.frames(), killed.reported + 1);
      ASSERT_LE(reader.frames(), killed.reported + 2);  // the last one may have been committed but not told
      for (std::int64_t k = std::max<std::int64_t>(0, reader.frames() - 3); k < reader.frames(); ++k) {
        const Frame frame = reader.frame(k);
        ASSERT_TRUE(same_frames(frame, sample_frame(static_cast<int>(k), frame.body, bodies + static_cast<int>(k % 7)))) << k;
        ASSERT_EQ(frame.body.size(), static_cast<std::size_t>(bodies));
      }
      ASSERT_TRUE(same_frames(reader.frame(0), sample_frame(0, reader.frame(0).body, bodies)));
      ASSERT_EQ(static_cast<std::int64_t>(reader.steps().size()), reader.frames());
      before = reader.frames() - 1;
    }
  }
}

// A torn file with a complete journal: what a kill in the middle of commit() leaves.
TEST(Results, CompleteJournalRepairsATornFile) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  std::vector<char> old_file, journal, new_file;
  {
    JournaledFile file(path, JournaledFile::Mode::create);
    std::vector<char> bytes(3 * kPage, 'a');
    ASSERT_TRUE(file.write(0, bytes.size(), bytes.data()));
    ASSERT_TRUE(file.commit(bytes.size()));
    std::fill(bytes.begin(), bytes.end(), 'b');
    ASSERT_TRUE(file.write(100, kPage, bytes.data()));
    ASSERT_TRUE(file.write(3 * kPage, kPage, bytes.data()));
    old_file = read_bytes(path);
    EXPECT_EQ(old_file[100], 'a') << "committed bytes must not change before commit";
    char seen = 0;
    ASSERT_TRUE(file.read(100, 1, &seen));
    EXPECT_EQ(seen, 'b');
    ASSERT_TRUE(file.commit(4 * kPage));
    new_file = read_bytes(path);
    EXPECT_EQ(new_file[100], 'b');
    EXPECT_EQ(new_file[99], 'a');
  }
  // What changed in the same two pages as a journal record, by the documented layout: lines 1 to 63 of the first, 0 and 1 of the second.
  const auto add = [&](std::uint64_t word) { journal.insert(journal.end(), reinterpret_cast<char*>(&word), reinterpret_cast<char*>(&word) + 8); };
  const char magic[] = "SCREEJN2";
  journal.assign(magic, magic + 8);
  add(5);
  add(5);
  add(2);
  add(4 * kPage);
  for (const std::uint64_t word : {0ull, ~1ull, 1ull, 3ull}) add(word);
  journal.insert(journal.end(), new_file.begin() + kLine, new_file.begin() + kPage + 2 * kLine);
  std::uint64_t state = 0x5c3ee5c3ee5c3ee5ull;
  for (std::size_t k = 16; k < journal.size(); k += 8) {
    std::uint64_t word;
    std::memcpy(&word, journal.data() + k, 8);
    state ^= word + 0x9e3779b97f4a7c15ull + (state << 6) + (state >> 2);
    state *= 0xff51afd7ed558ccdull;
    state ^= state >> 33;
  }
  add(state);

  std::vector<char> torn = old_file;
  std::fill(torn.begin() + kLine, torn.begin() + kPage, 'x');
  const auto seen_by_reader = [&] {
    const JournaledFile file(path, JournaledFile::Mode::read);
    std::vector<char> bytes(file.size());
    EXPECT_TRUE(file.read(0, bytes.size(), bytes.data()));
    return bytes;
  };
  write_bytes(path, torn, torn.size());
  write_bytes(journal_path(path), journal, journal.size());
  EXPECT_EQ(seen_by_reader(), new_file);
  EXPECT_EQ(read_bytes(path), torn) << "a reader must not write";
  // Any shorter or altered journal is no journal.
  for (std::size_t size = 0; size < journal.size(); size += 97) {
    write_bytes(journal_path(path), journal, size);
    EXPECT_EQ(seen_by_reader(), torn) << size;
  }
  auto altered = journal;
  altered[3000] ^= 1;
  write_bytes(journal_path(path), altered, altered.size());
  EXPECT_EQ(seen_by_reader(), torn);
  // A writer finishes the work for good.
  write_bytes(journal_path(path), journal, journal.size());
  { const JournaledFile file(path, JournaledFile::Mode::append); }
  EXPECT_EQ(read_bytes(path), new_file);
  EXPECT_FALSE(std::filesystem::exists(journal_path(path)));
}

TEST(Results, TwoWritersOfOneFileAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  ResultsWriter writer(path, sample_info());
  writer.add_body(body(0, -1));
  writer.add_frame(sample_frame(0, {0}, 1));
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      (void)JournaledFile(path, JournaledFile::Mode::append);
      ::_exit(0);
    } catch (const FileError&) {
      ::_exit(7);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Results, ReaderFollowsALiveWriter) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  // A reader needs some stillness to see one state: the writer leaves it four times what opening such a file takes here, at least 4 ms.
  const std::string still = folder.file("still.h5");
  write_sample(still, 150, false);
  const auto begun = std::chrono::steady_clock::now();
  (void)ResultsReader(still).frame(149);
  const auto opening = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
  Writer writer(path, false, 5, false, std::max<std::chrono::microseconds>(std::chrono::milliseconds(4), 4 * opening));
  ASSERT_GE(writer.report(), 0);
  ResultsReader reader(path);
  std::int64_t last = 0;
  for (int look = 0; look < 15; ++look) {
    for (int k = 0; k < 10; ++k) ASSERT_GE(writer.report(), 0);
    reader.refresh();
    EXPECT_GE(reader.frames(), last);
    last = reader.frames();
    const Frame frame = reader.frame(last - 1);
    EXPECT_TRUE(same_frames(frame, sample_frame(static_cast<int>(last - 1), frame.body, 5 + static_cast<int>((last - 1) % 7)))) << last - 1;
  }
  EXPECT_GT(last, 1);
}

std::string reading_error(const std::string& path) {
  try {
    const ResultsReader reader(path);
    for (std::int64_t k = 0; k < reader.frames(); ++k) (void)reader.frame(k);
    (void)reader.steps();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Results, HostileFilesAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  const auto damaged = [&](const char* group, const char* name, auto write) {
    write_sample(path, 3, false);
    {
      const h5::Node file = h5::open_journaled(path, true);
      const h5::Node node = h5::open_group(file, group);
      H5Ldelete(node.id.get(), name, H5P_DEFAULT);
      write(node);
    }
    return reading_error(path);
  };
  using Node = h5::Node;
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(contains, damaged("frames", "time", [](const Node&) {}), "'/frames/time' is missing");
  EXPECT_PRED2(contains, damaged("frames", "time", [](const Node& n) { h5::write_reals(n, "time", std::vector<double>{0, std::nan(""), 1}); }), "must be finite");
  EXPECT_PRED2(contains, damaged("frames", "motion_end", [](const Node& n) { h5::write_integers(n, "motion_end", std::vector<std::int64_t>{4, 8, 1000000000000}); }), "must rise within [0, 12]");
  EXPECT_PRED2(contains, damaged("frames", "motion_end", [](const Node& n) { h5::write_integers(n, "motion_end", std::vector<std::int64_t>{8, 4, 12}); }), "must rise");
  EXPECT_PRED2(contains, damaged("frames", "contact_end", [](const Node& n) { h5::write_integers(n, "contact_end", std::vector<std::int64_t>{-3, 4, 5}); }), "must rise");
  EXPECT_PRED2(contains, damaged("motion", "rotation", [](const Node& n) { h5::write_reals(n, "rotation", std::vector<double>(108, 0.0)); }), "must hold rows of 9 reals");
  EXPECT_PRED2(contains, damaged("motion", "body", [](const Node& n) { h5::write_integers(n, "body", std::vector<int>(12, 77)); }), "names body row 77");
  EXPECT_PRED2(contains, damaged("bodies", "shape", [](const Node& n) { h5::write_integers(n, "shape", std::vector<int>(4, 9)); }), "there are 1 shapes");
  EXPECT_PRED2(contains, damaged("bodies", "label", [](const Node& n) { h5::write_integers(n, "label", std::vector<int>(4, -9)); }), "refers to name -9");
  EXPECT_PRED2(contains, damaged("shapes", "reals", [](const Node& n) { h5::write_reals(n, "reals", std::vector<double>{0, 0, 0, -1}); }), "not a sphere");
  EXPECT_PRED2(contains, damaged("shapes", "real_end", [](const Node& n) { h5::write_integers(n, "real_end", std::vector<std::int64_t>{1 << 30}); }), "must rise");
  EXPECT_PRED2(contains, damaged("info", "format", [](const Node& n) { h5::write_text(n, "format", "other"); }), "not a results file");
  EXPECT_PRED2(contains, damaged("info", "version", [](const Node& n) { h5::write_integer(n, "version", 99); }), "newer Scree");
  EXPECT_PRED2(contains, reading_error(folder.file("missing")), "no such file");
  EXPECT_PRED2(contains, reading_error(folder.path()), "not a regular file");
  write_bytes(folder.file("text"), std::vector<char>(5000, 'x'), 5000);
  EXPECT_PRED2(contains, reading_error(folder.file("text")), "cannot open it as HDF5");
}

TEST(Results, AddressesThatPointNowhereDoNoHarm) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  write_sample(path, 2, false);
  EXPECT_GT(read_with_wrong_addresses(path, 11, [](const std::string& wrong) {
              const ResultsReader reader(wrong);
              for (std::int64_t k = 0; k < reader.frames(); ++k) (void)reader.frame(k);
            }), 100);
}

TEST(Results, CutAndFlippedFilesNeverCrash) {
  TemporaryFolder folder;
  const std::string path = folder.file("results.h5"), broken = folder.file("broken.h5");
  write_sample(path, 2, false);
  const auto bytes = read_bytes(path);
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 97) {
    write_bytes(broken, bytes, size);
    EXPECT_NE(reading_error(broken), "") << size;
  }
  std::mt19937 random(5);
  for (int k = 0; k < 150; ++k) {
    auto flipped = bytes;
    const std::size_t at = std::uniform_int_distribution<std::size_t>(0, std::min<std::size_t>(bytes.size(), 40000) - 1)(random);
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (k % 8)));
    write_bytes(broken, flipped, flipped.size());
    (void)reading_error(broken);
  }
}

}  // namespace
}  // namespace scree::io
