// A device that plays a script: option script=PATH of "offset_ps channel level" lines, in order; the
// offsets count from the first rise of strike 0. `quiet=0`: it never promises quiet. `throw=1`: it
// fails at that rise. `late=1`: its edges come one `advance` too late.
#include <fstream>

#include "device.h"
#include "option_text.h"

namespace {

class Scripted final : public plexor::Device {
 public:
  explicit Scripted(const std::string& options) {
    for (const auto& [key, value] : plexor::option_pairs(options)) {
      if (key == "script") path_ = value;
      else if (key == "quiet") quiet_ = value == "1";
      else if (key == "throw") throw_ = value == "1";
      else if (key == "late") late_ = value == "1";
      else throw plexor::BadOption("'" + key + "': the options are script, quiet, throw, late");
    }
  }

  void input(int64_t time_ps, uint32_t strikes, bool) override {
    if (started_ || !(strikes & 1)) return;
    started_ = true;
    if (throw_) throw std::runtime_error("scripted: as asked for");
    std::ifstream file(path_);
    int64_t offset_ps = 0;
    for (int channel = 0, level = 0; file >> offset_ps >> channel >> level;)
      edges_.push_back({time_ps + offset_ps, static_cast<uint8_t>(channel), level == 1});
  }

  void advance(int64_t to_ps, std::vector<plexor::Edge>& edges) override {
    const int64_t until_ps = late_ ? last_ps_ : to_ps;
    for (; next_ < edges_.size() && edges_[next_].time_ps < until_ps; next_++)
      edges.push_back(edges_[next_]);
    last_ps_ = to_ps;
  }

  int64_t quiet_until_ps() const override {
    if (!quiet_) return INT64_MIN;
    return next_ < edges_.size() ? edges_[next_].time_ps : INT64_MAX;
  }

 private:
  std::string path_;
  bool quiet_ = true, throw_ = false, late_ = false, started_ = false;
  std::vector<plexor::Edge> edges_;
  size_t next_ = 0;
  int64_t last_ps_ = 0;
};

}  // namespace

std::unique_ptr<plexor::Device> plexor::make_device(const std::string& options) {
  return std::make_unique<Scripted>(options);
}
