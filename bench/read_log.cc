// Reads a whole embedded log and does nothing with it: the baseline for an export.
//
// Usage: bench_read_log DIRECTORY   a data directory that no service has open
// Prints one JSON object.

#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "infra/embedded/embedded_event_log.h"

namespace {

using namespace tilth;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void read_all(const std::filesystem::path& directory) {
  constexpr std::size_t kPage = 1'000;
  const auto log = must(EmbeddedEventLog::open(directory / "log"));
  const auto reader = must(log->read({{0, 0}}));
  std::uint64_t events = 0, bytes = 0;
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    const auto page = must(reader->next(kPage, std::chrono::milliseconds(0)));
    if (page.empty()) break;
    events += page.size();
    for (const auto& logged : page) bytes += logged.record->json.size();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::cout << "{\"events\":" << events << ",\"bytes\":" << bytes
            << ",\"perSecond\":" << static_cast<double>(events) / took.count() << "}" << std::endl;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::runtime_error("name a data directory");
  read_all(arguments[1]);
} catch (const std::exception& error) {
  std::cerr << "bench_read_log: " << error.what() << '\n';
  return 1;
}
