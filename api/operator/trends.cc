#include "api/operator/trends.h"

#include <optional>
#include <set>
#include <vector>

#include "api/operator/member_json.h"

namespace tilth {
namespace {

double seconds(Trends::Steady::duration passed) {
  return std::chrono::duration<double>(passed).count();
}

}  // namespace

void Trends::sample() {
  Sample taken{Steady::now(), measure_()};
  const std::lock_guard lock(mutex_);
  samples_.push_back(std::move(taken));
  if (samples_.size() > kMost) samples_.pop_front();
}

std::string Trends::json() const {
  Sample last{Steady::now(), measure_()};
  std::deque<Sample> samples;
  {
    const std::lock_guard lock(mutex_);
    samples = samples_;
  }
  const auto now = last.at;
  samples.push_back(std::move(last));
  std::set<Figures::key_type> known;
  std::vector<double> ages;
  for (const auto& [at, figures] : samples) {
    ages.push_back(seconds(now - at));
    for (const auto& [of, figure] : figures) known.insert(of);
  }
  std::string json = "{";
  append_member(json, "everySeconds", static_cast<std::int64_t>(kEvery.count()));
  append_member(json, "secondsAgo", ages);
  json.append(",\"series\":[");
  for (const auto& each : known) {
    json.append(json.back() == '[' ? "{" : ",{");
    append_member(json, "name", each.first);
    append_member(json, "of", each.second);
    std::vector<std::optional<double>> values;
    for (const auto& sample : samples) {
      const auto found = sample.figures.find(each);
      values.push_back(found == sample.figures.end() ? std::nullopt : std::optional(found->second));
    }
    append_member(json, "values", values);
    json.push_back('}');
  }
  return json + "]}";
}

}  // namespace tilth
