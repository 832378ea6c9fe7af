// Any bytes as a checkpoint: it is loaded to a state that can be stepped, or refused with FileError or InputError. Bytes are also taken as edits of a sound
// checkpoint, since a file with altered numbers stops at its checksum.
#include "hdf5_target.hpp"

#include <cstring>
#include <optional>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "io/checkpoint.hpp"
#include "stepping/simulation.hpp"

namespace {

using namespace scree;

/// A ball and a pseudo-rigid cube on the floor, in contact.
Archive sound() {
  stepping::Simulation simulation(1e-3);
  simulation.model().bulk.push_back({"KIRCHHOFF", "stone", 1e7, 0.2, 2000.0});
  simulation.model().gravity.value = 9.81;
  const auto add = [&](model::BodyKind kind, geometry::Shape shape) {
    model::BodySpec spec;
    spec.kind = kind;
    spec.shape = std::make_shared<geometry::Shape>(std::move(shape));
    spec.mass = geometry::mass_properties(*spec.shape, [](int) { return 1000.0; });
    spec.material = 0;
    (void)simulation.add_body(spec);
  };
  add(model::BodyKind::obstacle, geometry::make_box(Vec3(-2, -2, -1), Vec3(2, 2, 0), 0, 0));
  add(model::BodyKind::rigid, geometry::make_sphere(Vec3(0, 0, 0.1), 0.1, 0, 0));
  add(model::BodyKind::pseudo_rigid, geometry::make_box(Vec3(0.5, 0.0, 0.0), Vec3(0.7, 0.2, 0.2), 0, 0));
  for (int k = 0; k < 3; ++k) (void)simulation.step();
  Archive archive;
  simulation.save(archive);
  return archive;
}

/// Loaded, it must be a state that can be stepped.
void load(const Archive& archive) {
  stepping::Simulation simulation(1e-3);
  try {
    simulation.load(archive);
    (void)simulation.step();
  } catch (const FileError&) {
  } catch (const InputError&) {
  } catch (const SolveError&) {
  }
}

/// Each 12 bytes change one value: which, where, and what to; an odd place cuts the value short there.
Archive edited(const Archive& from, const std::uint8_t* bytes, std::size_t size) {
  Archive archive = from;
  for (; size >= 12; bytes += 12, size -= 12) {
    std::uint16_t which = 0, where = 0;
    std::int64_t number = 0;
    std::memcpy(&which, bytes, 2);
    std::memcpy(&where, bytes + 2, 2);
    std::memcpy(&number, bytes + 4, 8);
    auto entry = archive.values().begin();
    std::advance(entry, which % archive.values().size());
    Archive::Value value = entry->second;
    std::visit([&](auto& list) {
      if (list.empty()) return;
      const std::size_t at = (where / 2) % list.size();
      if (where % 2) list.resize(at);
      else std::memcpy(&list[at], &number, sizeof list[at]);
    }, value);
    archive.put(entry->first, std::move(value));
  }
  return archive;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Archive base = sound();
  with_file(bytes, size, "checkpoint", [](const std::string& path) {
    try {
      load(io::read_checkpoint(path));
    } catch (const FileError&) {
    }
  });
  load(edited(base, bytes, size));
  return 0;
}
