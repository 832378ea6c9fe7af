#include "io/wire.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "sample_results.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

struct Opened {
  nlohmann::json head;
  std::string bytes;
  std::size_t data = 0;

  explicit Opened(const Bundle& bundle) : bytes(bundle.bytes()) {
    EXPECT_EQ(bytes.substr(0, 8), "SCREEBUN");
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + 8, 8);
    head = nlohmann::json::parse(bytes.substr(16, size));
    data = 16 + size;
  }
  template <class Value>
  std::vector<Value> array(const std::string& name) const {
    const auto& spec = head.at("arrays").at(name);
    std::vector<Value> values(spec.at("rows").get<std::size_t>() * spec.at("width").get<std::size_t>());
    EXPECT_LE(data + spec.at("offset").get<std::size_t>() + values.size() * sizeof(Value), bytes.size());
    std::memcpy(values.data(), bytes.data() + data + spec.at("offset").get<std::size_t>(), values.size() * sizeof(Value));
    return values;
  }
  bool has(const std::string& name) const { return head.at("arrays").contains(name); }
};

// A rigid cube far from zero, a pseudo-rigid one, a finite element one with nodes.
void write_sample(const std::string& path) {
  ResultsInfo info;
  info.title = "a \"quoted\" \xff title";
  ResultsWriter writer(path, info);
  const Vec3 far(1e6, 0, 0);
  const auto shape = writer.add_shape(cube(far - Vec3::Constant(0.5), 1.0), far);
  for (int k = 0; k < 3; ++k) {
    BodyRow body;
    body.id = 10 + k;
    body.kind = static_cast<StoredKind>(k);
    body.shape = shape;
    body.mass = 2.0;
    body.center = far + Vec3(k, 0, 0);
    writer.add_body(body);
  }
  Frame frame = sample_frame(0, {0, 1, 2}, 5);
  for (std::size_t i = 0; i < 3; ++i) {
    const Mat3 F = i == 1 ? Mat3(Vec3(2, 1, 0.5).asDiagonal()) : Mat3::Identity();
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&frame.rotation[9 * i]) = F;
    Vec3::Map(&frame.position[3 * i]) = far + Vec3(static_cast<double>(i), 0.25, 0);
    Vec3::Map(&frame.velocity[3 * i]) = Vec3(3, 4, 0);
    Vec3::Map(&frame.angular[3 * i]) = Vec3(0, 0, i == 0 ? 6.0 : 0.0);
  }
  for (int p = 0; p < 8; ++p)
    for (int i = 0; i < 3; ++i) {
      frame.node_position.push_back((i == 0 ? 1e6 : 0.0) + p);
      frame.node_velocity.push_back(p);
    }
  for (int p = 0; p < 8; ++p) frame.node_mises.push_back(10.0f * static_cast<float>(p));
  frame.mises = {0, 100, 200};
  writer.add_step(sample_step(0));
  writer.add_frame(frame);
  writer.close();
}

TEST(Wire, places_keep_their_precision_far_from_zero) {
  const TemporaryFolder folder;
  write_sample(folder.file("r.h5"));
  const ResultsReader reader(folder.file("r.h5"));
  const WirePacker packer(reader);
  const Opened scene(packer.scene());
  EXPECT_EQ(scene.array<double>("body.id"), (std::vector<double>{10, 11, 12}));
  const auto origin = scene.head.at("facts").at("origin").get<std::vector<double>>();
  const Opened frame(packer.frame(0, {}));
  EXPECT_FALSE(frame.has("row"));
  const auto position = frame.array<float>("position");
  // The origin is at the bodies, so a float keeps better than a micrometre there (at 1e6 m it would keep 6 cm).
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(origin[0] + static_cast<double>(position[3 * i]), 1e6 + static_cast<double>(i), 1e-6);
  EXPECT_EQ(frame.array<float>("gradient"), (std::vector<float>{2, 0, 0, 0, 1, 0, 0, 0, 0.5f}));
  EXPECT_EQ(frame.array<float>("node").size(), 24u);
  EXPECT_EQ(frame.array<std::int16_t>("quaternion").size(), 12u);
}

TEST(Wire, fields) {
  const TemporaryFolder folder;
  write_sample(folder.file("r.h5"));
  const ResultsReader reader(folder.file("r.h5"));
  const WirePacker packer(reader);
  const std::vector<Field> all{field("velocity"), field("displacement"), field("kinetic_energy"), field("von_mises"), field("force")};
  const Opened frame(packer.frame(0, all, true));
  for (const float v : frame.array<float>("value.velocity")) EXPECT_FLOAT_EQ(v, 5.0f);
  for (const float v : frame.array<float>("value.displacement")) EXPECT_FLOAT_EQ(v, 0.25f);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(frame.array<float>("value.kinetic_energy")[i], static_cast<float>(reader.frame(0).body_energy[6 * i]));
  const auto node = frame.array<float>("node_value.velocity");
  for (std::size_t p = 0; p < 8; ++p) EXPECT_NEAR(node[p], std::sqrt(3.0) * static_cast<double>(p), 1e-5);
  EXPECT_EQ(frame.array<float>("angular_velocity")[2], 6.0f);
  EXPECT_EQ(frame.array<float>("value.von_mises"), (std::vector<float>{0, 100, 200}));
  EXPECT_EQ(frame.array<float>("node_value.von_mises")[7], 70.0f);
  EXPECT_EQ(packer.fields().size(), 5u);
  EXPECT_THROW((void)field("speeed"), InputError);
  const auto range = packer.range(Field::velocity);
  EXPECT_DOUBLE_EQ(range.high, std::sqrt(3.0) * 7.0);
  EXPECT_DOUBLE_EQ(range.low, 0.0);
  const auto forces = packer.contact_range();
  // Contacts 0 and 3 of the sample touch; 1, 2 and 4 are constraints and set no scale.
  EXPECT_DOUBLE_EQ(forces.high, Vec3(&reader.frame(0).force[9]).norm());
  // Of the two, 3 has no second body: it is not counted.
  EXPECT_EQ(frame.head.at("facts").at("contacts"), 1);
  EXPECT_EQ(nlohmann::json::parse(packer.body(0, 0)).at("contacts"), 2);
  EXPECT_EQ(forces.top, forces.high);
}

TEST(Wire, strongest_contacts_first_and_details) {
  const TemporaryFolder folder;
  write_sample(folder.file("r.h5"));
  const ResultsReader reader(folder.file("r.h5"));
  const WirePacker packer(reader);
  const Opened contacts(packer.contacts(0, 2, true));
  // Forces of the sample rise with the number of the contact.
  EXPECT_EQ(contacts.array<std::int32_t>("number"), (std::vector<std::int32_t>{4, 3}));
  EXPECT_EQ(contacts.head.at("facts").at("contacts"), 5);
  EXPECT_EQ(contacts.head.at("facts").at("constraints"), 3);
  EXPECT_EQ(contacts.array<float>("gap").size(), 2u);
  EXPECT_EQ(Opened(packer.contacts(0, 100)).array<std::int32_t>("number").size(), 5u);
}

TEST(Wire, names_what_is_not_there) {
  const TemporaryFolder folder;
  write_sample(folder.file("r.h5"));
  const ResultsReader reader(folder.file("r.h5"));
  const WirePacker packer(reader);
  EXPECT_THROW((void)packer.frame(1, {}), InputError);
  EXPECT_THROW((void)packer.frame(-1, {}), InputError);
  EXPECT_THROW((void)packer.contacts(7, 10), InputError);
  EXPECT_THROW((void)packer.body(0, 3), InputError);
  EXPECT_THROW((void)packer.history(-1), InputError);
  EXPECT_THROW((void)packer.pair_history(0, 9), InputError);
  EXPECT_THROW((void)packer.contact(0, 5), InputError);
  const auto body = nlohmann::json::parse(packer.body(0, 1));
  EXPECT_EQ(body.at("velocity"), (std::vector<double>{3, 4, 0}));
  EXPECT_EQ(nlohmann::json::parse(packer.contact(0, 4)).at("gap"), reader.frame(0).gap[4]);
}

TEST(Wire, histories_find_bodies_wherever_they_are_in_a_frame) {
  const TemporaryFolder folder;
  {
    ResultsWriter writer(folder.file("r.h5"), ResultsInfo{});
    for (int k = 0; k < 3; ++k) {
      BodyRow body;
      body.id = k;
      writer.add_body(body);
    }
    // Body 2 is first, in the middle, absent.
    writer.add_frame(sample_frame(0, {2, 0, 1}, 1));
    writer.add_frame(sample_frame(1, {0, 2, 1}, 2));
    writer.remove_body(2);
    writer.add_frame(sample_frame(2, {0, 1}, 1));
    writer.close();
  }
  const ResultsReader reader(folder.file("r.h5"));
  const auto position = Opened(WirePacker(reader).history(2)).array<double>("position");
  ASSERT_EQ(position.size(), 6u);
  EXPECT_EQ(Vec3(position.data()), Vec3(reader.frame(0).position.data()));
  EXPECT_EQ(Vec3(position.data() + 3), Vec3(reader.frame(1).position.data() + 3));
  EXPECT_EQ(Opened(WirePacker(reader).history(1)).array<double>("time").size(), 3u);
  EXPECT_TRUE(Opened(WirePacker(reader).frame(0, {})).has("row"));
}

}  // namespace
}  // namespace scree::io
