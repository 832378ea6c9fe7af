#include "io/trial.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "core/error.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

std::string refusal(const std::string& path, const std::function<void()>& read) {
  try {
    try_apart(path, read);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Trial, WhatBreaksDownBreaksDownElsewhere) {
  TemporaryFolder folder;
  const std::string path = folder.file("a");
  write_bytes(path, std::vector<char>(10, 'x'), 10);
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE}) EXPECT_EQ(refusal(path, [&] { std::raise(number); }), path + ": HDF5 breaks down over it; the file is damaged or was made to harm");
  EXPECT_EQ(refusal(path, [] { std::raise(SIGXCPU); }), path + ": HDF5 does not come to an end with it; the file is damaged or was made to harm");
}

TEST(Trial, RefusalsComeBackWithTheirWords) {
  TemporaryFolder folder;
  const std::string path = folder.file("a"), words(100'000, 'w');
  write_bytes(path, std::vector<char>(10, 'x'), 10);
  EXPECT_EQ(refusal(path, [&] { throw FileError(words); }), words);
  EXPECT_EQ(refusal(path, [] { throw std::bad_alloc(); }), "");
  int here = 0;
  EXPECT_EQ(refusal(path, [&] { here = 1; }), "");
  EXPECT_EQ(here, 0);
  EXPECT_EQ(read_tried(path, [&] { return ++here; }), 1);
}

}  // namespace
}  // namespace scree::io
