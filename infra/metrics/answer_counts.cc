#include "infra/metrics/answer_counts.h"

#include <algorithm>
#include <functional>

namespace tilth {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5};

// Clients may send any text as the method.
std::string_view known(std::string_view method) {
  static constexpr std::array<std::string_view, 7> kMethods = {"GET",  "POST",    "PUT",  "DELETE",
                                                               "HEAD", "OPTIONS", "PATCH"};
  const auto* found = std::find(kMethods.begin(), kMethods.end(), method);
  return found == kMethods.end() ? std::string_view("other") : *found;
}

std::size_t hash_of(std::string_view method, std::string_view route, int status) {
  const auto rest = static_cast<std::size_t>(status) * 31 + static_cast<std::size_t>(method[0]) +
                    method.size() * 7;
  const auto hash = std::hash<std::string_view>{}(route) ^ (rest * 0x9E3779B97F4A7C15U);
  return hash ^ (hash >> 32);
}

}  // namespace

AnswerCounts::AnswerCounts(prometheus::Registry& registry)
    : requests_(prometheus::BuildCounter()
                    .Name("tilth_http_requests_total")
                    .Help("Requests answered, by the pattern of their route.")
                    .Register(registry)),
      durations_(prometheus::BuildHistogram()
                     .Name("tilth_http_request_duration_seconds")
                     .Help("From a request's arrival to its answer.")
                     .Register(registry)) {}

void AnswerCounts::count(std::string_view method, std::string_view route, int status,
                         std::chrono::nanoseconds took) {
  const auto& series = find(known(method), route.empty() ? "none" : route, status);
  series.requests->Increment();
  series.duration->Observe(std::chrono::duration<double>(took).count());
}

const AnswerCounts::Series& AnswerCounts::find(std::string_view method, std::string_view route,
                                               int status) {
  const auto hash = hash_of(method, route, status);
  for (std::size_t i = hash;; ++i) {
    const auto* series = slots_[i % kSlots].load(std::memory_order_acquire);
    if (series == nullptr) return insert(method, route, status, hash);
    if (series->status == status && series->route == route && series->method == method) {
      return *series;
    }
  }
}

const AnswerCounts::Series& AnswerCounts::insert(std::string_view method, std::string_view route,
                                                 int status, std::size_t hash) {
  const std::lock_guard lock(inserting_);
  for (std::size_t i = hash;; ++i) {
    auto& slot = slots_[i % kSlots];
    const auto* series = slot.load(std::memory_order_acquire);
    if (series == nullptr) {
      if (all_.size() >= kMost) {
        if (others_ == nullptr) others_ = &all_.emplace_back(make("other", "other", 0));
        return *others_;
      }
      series = &all_.emplace_back(make(method, route, status));
      slot.store(series, std::memory_order_release);
      return *series;
    }
    if (series->status == status && series->route == route && series->method == method) {
      return *series;
    }
  }
}

AnswerCounts::Series AnswerCounts::make(std::string_view method, std::string_view route,
                                        int status) {
  const prometheus::Labels of_route = {{"method", std::string(method)},
                                       {"route", std::string(route)}};
  auto with_status = of_route;
  with_status["status"] = std::to_string(status);
  return {method, std::string(route), status, &requests_.Add(with_status),
          &durations_.Add(of_route, kSeconds)};
}

}  // namespace tilth
