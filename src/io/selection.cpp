#include "io/selection.hpp"

#include <numeric>

#include "core/abandon.hpp"
#include "core/error.hpp"

namespace scree::io {
namespace {

// Keep the items of `width` numbers whose flag is set.
template <class Value>
void keep(std::vector<Value>& values, const std::vector<char>& flags, std::size_t width) {
  if (values.empty()) return;
  std::size_t out = 0;
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (!flags[k]) continue;
    for (std::size_t i = 0; i < width; ++i) values[out++] = values[k * width + i];
  }
  values.resize(out);
}

// The same of every column of a group.
void keep_rows(Frame& frame, std::string_view group, const std::vector<char>& flags) {
  Frame::each_column([&](const FrameColumn& column, auto member) {
    if (column.group == group) keep(frame.*member, flags, static_cast<std::size_t>(column.width));
  });
}

std::vector<char> wanted_rows(const ResultsReader& results, const Selection& selection) {
  std::vector<char> wanted(results.bodies().size(), 0);
  for (const std::int32_t row : selection.bodies) {
    if (row < 0 || row >= static_cast<std::int64_t>(wanted.size())) throw_input("{}: there is no body row {}; there are {}", results.path(), row, wanted.size());
    wanted[row] = 1;
  }
  return wanted;
}

void keep_bodies(const ResultsReader& results, const std::vector<char>& wanted, Frame& frame) {
  // Points belong to the bodies of finite elements, one after the other.
  std::vector<char> bodies, nodes;
  for (const std::int32_t row : frame.body) {
    const BodyRow& body = results.bodies()[row];
    bodies.push_back(wanted[row]);
    if (body.kind == StoredKind::finite_element && body.shape >= 0)
      nodes.insert(nodes.end(), static_cast<std::size_t>(results.shapes()[body.shape].points()), bodies.back());
  }
  frame.state.clear();  // of no use without the model
  keep_rows(frame, "motion", bodies);
  keep_rows(frame, "nodes", nodes);
}

void keep_contacts(const std::vector<char>& wanted, Frame& frame) {
  const auto touches = [&](std::int32_t row) { return row >= 0 && wanted[row]; };
  std::vector<char> contacts;
  for (std::size_t c = 0; c < frame.contacts(); ++c) contacts.push_back(touches(frame.pair[2 * c]) || touches(frame.pair[2 * c + 1]));
  keep_rows(frame, "contacts", contacts);
}

}  // namespace

std::vector<std::int64_t> selected_frames(const ResultsReader& results, const Selection& selection) {
  std::vector<std::int64_t> frames = selection.frames;
  if (frames.empty()) {
    frames.resize(static_cast<std::size_t>(results.frames()));
    std::iota(frames.begin(), frames.end(), 0);
  }
  for (const std::int64_t frame : frames) (void)results.time(frame);
  return frames;
}

Frame selected_frame(const ResultsReader& results, std::int64_t index, const Selection& selection) {
  throw_if_stopped();
  Frame frame = results.frame(index);
  if (selection.bodies.empty()) return frame;
  const std::vector<char> wanted = wanted_rows(results, selection);
  keep_bodies(results, wanted, frame);
  keep_contacts(wanted, frame);
  return frame;
}

}  // namespace scree::io
