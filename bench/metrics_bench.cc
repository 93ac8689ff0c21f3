// Measures the cost of counting one response, on one thread and on several.
//
//   metrics_bench [threads]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <thread>
#include <vector>

#include "infra/metrics/metrics.h"

namespace {

constexpr int kAnswers = 5'000'000;
constexpr std::string_view kRoutes[] = {"/farms", "/farms/{id}", "/farms/{id}/fields/{fieldId}",
                                        "/farms/{id}/fields/{fieldId}/blocks/{blockId}/plants"};

void count(tilth::Metrics& metrics) {
  for (int i = 0; i < kAnswers; ++i) {
    metrics.answered({.method = i % 3 == 0 ? "POST" : "GET",
                      .route = kRoutes[static_cast<unsigned>(i) % std::size(kRoutes)],
                      .status = i % 5 == 0 ? 404 : 200,
                      .took = std::chrono::microseconds(i % 4'096)});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  tilth::Metrics metrics("bench");
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&metrics] { count(metrics); });
  running.clear();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begun;
  std::printf("%d threads: %.1f ns an answer and thread\n", threads, took.count() / kAnswers);
  const auto asked = std::chrono::steady_clock::now();
  const auto bytes = metrics.text().size();
  const std::chrono::duration<double, std::micro> rendered =
      std::chrono::steady_clock::now() - asked;
  std::printf("text: %zu bytes in %.0f us\n", bytes, rendered.count());
}
