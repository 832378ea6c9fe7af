#include "io/read_budget.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/fclib.hpp"
#include "io/hdf5.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

/// A dataset of so many megabytes of zeros, each written as the same few kilobytes.
void write_zeros(const h5::Node& parent, const char* name, hid_t type, int megabytes) {
  const std::vector<Bytef> zeros(1 << 20, 0);
  std::vector<Bytef> packed(compressBound(zeros.size()));
  uLongf length = packed.size();
  ASSERT_EQ(compress(packed.data(), &length, zeros.data(), zeros.size()), Z_OK);
  const hsize_t chunk = zeros.size() / H5Tget_size(type), size = chunk * static_cast<hsize_t>(megabytes);
  const h5::Id space(H5Screate_simple(1, &size, nullptr), H5Sclose), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(list.get(), 1, &chunk);
  H5Pset_deflate(list.get(), 1);
  const h5::Id data(H5Dcreate2(parent.id.get(), name, type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Dclose);
  for (hsize_t at = 0; at < size; at += chunk) ASSERT_GE(H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, &at, length, packed.data()), 0);
}

/// The message with which an action refuses.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.what();
  }
  return "it was read";
}

TEST(ReadBudget, APackedProblemDoesNotFillTheMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bomb.hdf5");
  {
    const h5::Node file = h5::create_file(path);
    const h5::Node root = h5::create_group(file, "fclib_local"), vectors = h5::create_group(root, "vectors");
    h5::write_integer(root, "spacedim", 3);
    write_zeros(vectors, "q", H5T_IEEE_F64LE, 96);
  }
  EXPECT_NE(refusal([&] { (void)read_fclib(path); }).find("far more than a file of this size holds"), std::string::npos);
}

TEST(ReadBudget, APackedCheckpointDoesNotFillTheMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bomb.h5");
  {
    const h5::Node file = h5::create_file(path);
    h5::write_text(file, "format", "scree-checkpoint");
    h5::write_integer(file, "version", 2);
    // None of them is too large alone.
    for (const char* name : {"names"}) write_zeros(file, name, H5T_STD_U8LE, 20);
    for (const char* name : {"name_end", "kind", "value_end", "integers"}) write_zeros(file, name, H5T_STD_I64LE, 20);
  }
  EXPECT_NE(refusal([&] { (void)read_checkpoint(path); }).find("far more than a file of this size holds"), std::string::npos);
}

}  // namespace
}  // namespace scree::io
