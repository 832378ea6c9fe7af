#include "io/csv.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace scree::io {
namespace {

// A table that appears under its name when complete.
class Table {
 public:
  Table(const std::string& path, const std::string& header) : path_(path), target_(path), out_(target_.temporary(), std::ios::binary) { out_ << header << '\n'; }
  // {} of fmt prints the shortest text that reads back to the same number.
  template <class First, class... Rest>
  void row(const First& first, const Rest&... rest) {
    fmt::memory_buffer line;
    fmt::format_to(std::back_inserter(line), "{}", first);
    (fmt::format_to(std::back_inserter(line), ",{}", rest), ...);
    line.push_back('\n');
    out_.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  void save() {
    if (!out_.flush()) throw_file("{}: cannot write; is the disk full?", path_);
    out_.close();
    target_.commit(false);
  }

 private:
  std::string path_;
  AtomicFile target_;
  std::ofstream out_;
};

// Text in quotes, quotes doubled. A leading = + - @ would be run as a formula by spreadsheets.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  if (!text.empty() && std::string("=+-@").find(text[0]) != std::string::npos) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
  return out;
}

std::string values(const std::vector<double>& all, std::size_t row, std::size_t width) {
  std::string text;
  for (std::size_t k = 0; k < width; ++k) text += fmt::format("{}{}", k ? "," : "", all[row * width + k]);
  return text;
}

void write_steps(const ResultsReader& results, const std::string& folder) {
  std::string header = "step,time,h,bodies,contacts,iterations,status,residual,penetration_max,penetration_mean";
  for (const std::string& stage : results.info().stages) header.append(1, ',').append(quoted(stage + " s"));
  Table table(folder + "/steps.csv", header);
  for (const StepRow& s : results.steps()) {
    std::string seconds;
    for (const double value : s.seconds) seconds += fmt::format(",{}", value);
    table.row(s.step, s.time, s.h, s.bodies, s.contacts, s.iterations, s.status, s.residual, s.penetration_max, fmt::format("{}{}", s.penetration_mean, seconds));
  }
  table.save();
}

void write_energy(const ResultsReader& results, const std::string& folder) {
  Table table(folder + "/energy.csv", "frame,time,kinetic,internal,potential,external,contact,friction,damping");
  for (std::int64_t k = 0; k < results.frames(); ++k) {
    const EnergyRow& e = results.energies()[static_cast<std::size_t>(k)];
    table.row(k, results.time(k), e.kinetic, e.internal, e.potential, e.external, e.contact, e.friction, e.damping);
  }
  table.save();
}

void write_body_table(const ResultsReader& results, const std::string& folder) {
  Table table(folder + "/body_table.csv", "row,id,label,material,kind,shape,volume_id,mass,volume,center_x,center_y,center_z,radius,first_frame,last_frame");
  constexpr const char* kKinds[] = {"rigid", "pseudo_rigid", "finite_element", "obstacle"};
  std::size_t row = 0;
  for (const BodyRow& b : results.bodies())
    table.row(row++, b.id, quoted(b.label), quoted(b.material), kKinds[static_cast<std::size_t>(b.kind)], b.shape, b.volume_id, b.mass, b.volume,
              b.center.x(), b.center.y(), b.center.z(), b.radius, b.first_frame, b.last_frame);
  table.save();
}

}  // namespace

void export_csv(const ResultsReader& results, const std::string& folder, const Selection& selection) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_file("{}: cannot make this folder: {}", folder, error.message());
  write_steps(results, folder);
  write_energy(results, folder);
  write_body_table(results, folder);
  Table bodies(folder + "/bodies.csv", "frame,time,id,x,y,z,vx,vy,vz,wx,wy,wz,r11,r12,r13,r21,r22,r23,r31,r32,r33");
  Table contacts(folder + "/contacts.csv", "frame,time,body1,body2,x,y,z,nx,ny,nz,gap,area,force_n,force_t1,force_t2,u_n,u_t1,u_t2,surface1,surface2,material,kind");
  const auto id = [&](std::int32_t row) { return row < 0 ? std::int64_t{-1} : results.bodies()[static_cast<std::size_t>(row)].id; };
  for (const std::int64_t f : selected_frames(results, selection)) {
    const Frame frame = selected_frame(results, f, selection);
    for (std::size_t k = 0; k < frame.bodies(); ++k)
      bodies.row(f, frame.time, id(frame.body[k]), values(frame.position, k, 3), values(frame.velocity, k, 3), values(frame.angular, k, 3), values(frame.rotation, k, 9));
    for (std::size_t c = 0; c < frame.contacts(); ++c)
      contacts.row(f, frame.time, id(frame.pair[2 * c]), id(frame.pair[2 * c + 1]), values(frame.point, c, 3), frame.axes[9 * c], frame.axes[9 * c + 1],
                   frame.axes[9 * c + 2], frame.gap[c], frame.area[c], values(frame.force, c, 3), values(frame.relative_velocity, c, 3), frame.surface[2 * c],
                   frame.surface[2 * c + 1], frame.material[c], static_cast<int>(frame.contact_kind[c]));
  }
  bodies.save();
  contacts.save();
}

}  // namespace scree::io
