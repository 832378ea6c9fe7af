// Sound files for the fuzz targets to start from:  make_corpus FOLDER  writes FOLDER/mesh, FOLDER/fclib, FOLDER/results and
// FOLDER/checkpoint.
#include <filesystem>
#include <fstream>

#include "../io/mesh_texts.hpp"
#include "../io/sample_results.hpp"
#include "io/checkpoint.hpp"
#include "io/fclib.hpp"
#include "solvers/generators.hpp"

namespace {

using namespace scree;

void write_meshes(const std::filesystem::path& folder) {
  for (const io::testing::Sample& sample : io::testing::samples()) std::ofstream(folder / sample.name, std::ios::binary) << sample.bytes;
}

void write_problems(const std::filesystem::path& folder) {
  solvers::PackingOptions small;
  small.across = 2;
  small.up = 1;
  const solvers::ContactProblem problem = solvers::make_packing(small);
  const std::vector<double> R(problem.B.size(), 0.0);
  io::write_fclib(folder / "bare.hdf5", problem, {}, {});
  io::write_fclib(folder / "solved.hdf5", problem, R, problem.B, "a packing");
}

void write_results(const std::filesystem::path& folder) {
  for (const bool compress : {false, true}) {
    io::ResultsInfo info;
    info.compress = compress;
    io::ResultsWriter writer(folder / (compress ? "packed.h5" : "plain.h5"), info);
    std::vector<std::int32_t> rows;
    for (int k = 0; k < 2; ++k) {
      io::BodyRow row;
      row.id = k;
      row.shape = writer.add_shape(k == 0 ? io::cube(Vec3::Zero(), 1.0) : geometry::make_sphere(Vec3::Zero(), 0.5, 1, 2), Vec3::Zero());
      rows.push_back(writer.add_body(row));
    }
    for (int k = 0; k < 2; ++k) writer.add_frame(io::sample_frame(k, rows, 2));
    writer.close();
  }
}

void write_checkpoints(const std::filesystem::path& folder) {
  Archive archive;
  archive.put("reals", Archive::Reals{0.5, -1.0});
  archive.put("integers", Archive::Integers{1, 2, 3});
  archive.put("text", std::string("a text"));
  io::write_checkpoint(folder / "small.h5", archive);
  // Edits of a sound one: twelve bytes each.
  std::ofstream(folder / "edits", std::ios::binary) << std::string(36, '\x10');
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::filesystem::path folder = words[1];
  for (const char* name : {"mesh", "fclib", "results", "checkpoint"}) std::filesystem::create_directories(folder / name);
  write_meshes(folder / "mesh");
  write_problems(folder / "fclib");
  write_results(folder / "results");
  write_checkpoints(folder / "checkpoint");
}
