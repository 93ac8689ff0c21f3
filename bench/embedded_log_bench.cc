// Compares the durable appends per second of the embedded log with those of RocksDB for the same
// bytes and a thread per stream: embedded_log_bench DIRECTORY [SECONDS].
// With `fill RECORDS` after DIRECTORY: writes that many records, reopens the log and reads it.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <rocksdb/db.h>

#include "infra/embedded/embedded_event_log.h"
#include "infra/embedded/record_bytes.h"
#include "infra/embedded/record_key.h"

namespace tilth {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

Record record(int stream, std::uint64_t version) {
  const std::string suffix = std::to_string(stream) + "-" + std::to_string(version);
  return {"user_V1StGXR8_Z5jdHi6B-" + std::to_string(stream),
          {.id = "019560e2-7f6b-7c3e-9d55-" + suffix,
           .type = "tilth.plant.registered",
           .source = "node-1",
           .stream_version = version,
           .correlation_id = "019560e2-7f6b-7c3e-9d55-0123456789ab",
           .actor = "key_V1StGXR8_Z5jdHi6B-myT"},
          R"({"plant":"019560e2-7f6b-7c3e-9d55-0123456789ab","label":"Row )" + suffix +
              R"(","note":")" + std::string(250, 'x') + R"("})"};
}

std::unique_ptr<EmbeddedEventLog> open(const std::filesystem::path& directory) {
  auto log = EmbeddedEventLog::open(directory);
  if (!log) {
    std::fprintf(stderr, "%s\n", log.error().message.c_str());
    std::exit(1);
  }
  return std::move(*log);
}

// Appends per second if each stream appends its next record as soon as its last one is durable.
double embedded(const std::filesystem::path& directory, int streams, double seconds) {
  const auto log = open(directory);
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> durable = 0;
  std::latch idle(streams);
  const std::function<void(int, std::uint64_t)> write = [&](int stream, std::uint64_t version) {
    if (stop) return idle.count_down();
    log->append(record(stream, version), [&, stream, version](const auto& end) {
      if (!end) std::abort();
      ++durable;
      write(stream, version + 1);
    });
  };
  const auto began = Clock::now();
  for (int stream = 0; stream < streams; ++stream) write(stream, 0);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  idle.wait();
  return static_cast<double>(durable) / seconds_since(began);
}

double bare(const std::filesystem::path& directory, int streams, double seconds) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 16 << 20;
  rocksdb::DB* opened = nullptr;
  if (!rocksdb::DB::Open(options, directory, &opened).ok()) std::exit(1);
  const std::unique_ptr<rocksdb::DB> db(opened);
  rocksdb::WriteOptions durable;
  durable.sync = true;
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> offset = 0;
  const auto began = Clock::now();
  std::vector<std::jthread> threads;
  for (int stream = 0; stream < streams; ++stream) {
    threads.emplace_back([&, stream] {
      for (std::uint64_t version = 0; !stop; ++version) {
        const std::int64_t at = offset++;
        const Record written = record(stream, version);
        std::string bytes;
        encode_record(at, written, bytes);
        rocksdb::WriteBatch batch;
        batch.Put(RecordKey(at).bytes(), bytes).PermitUncheckedError();
        batch.Put(written.stream, std::string(8, '\0')).PermitUncheckedError();
        if (!db->Write(durable, &batch).ok()) std::abort();
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  threads.clear();
  return static_cast<double>(offset) / seconds_since(began);
}

void compare(const std::filesystem::path& directory, double seconds) {
  std::printf("%8s %14s %14s %6s\n", "streams", "RocksDB, 1/s", "log, 1/s", "ratio");
  for (const int streams : {1, 16, 64}) {
    double ours = 0;
    double theirs = 0;
    constexpr int kRounds = 10;  // alternating, since disk speed varies
    for (int round = 0; round < kRounds; ++round) {
      std::filesystem::remove_all(directory);
      theirs += bare(directory, streams, seconds) / kRounds;
      std::filesystem::remove_all(directory);
      ours += embedded(directory, streams, seconds) / kRounds;
    }
    std::printf("%8d %14.0f %14.0f %6.2f\n", streams, theirs, ours, ours / theirs);
  }
  std::filesystem::remove_all(directory);
}

std::size_t resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoul(line.c_str() + 6, nullptr, 10) / 1024;
  }
  return 0;
}

void fill(const std::filesystem::path& directory, std::uint64_t records) {
  std::filesystem::remove_all(directory);
  auto log = open(directory);
  std::printf("new: %zu MiB\n", resident_mib());
  auto began = Clock::now();
  constexpr int kStreams = 1'000;
  std::latch idle(kStreams);
  const std::function<void(int, std::uint64_t)> write = [&](int stream, std::uint64_t version) {
    if (version * kStreams >= records) return idle.count_down();
    log->append(record(stream, version), [&, stream, version](const auto& end) {
      if (!end) std::abort();
      write(stream, version + 1);
    });
  };
  for (int stream = 0; stream < kStreams; ++stream) write(stream, 0);
  idle.wait();
  std::printf("%llu records written in %.1f s: %zu MiB\n", static_cast<unsigned long long>(records),
              seconds_since(began), resident_mib());
  log.reset();
  began = Clock::now();
  log = open(directory);
  std::printf("opened in %.3f s: %zu MiB\n", seconds_since(began), resident_mib());
  began = Clock::now();
  const auto reader = log->read({{0, 0}});
  std::size_t read = 0;
  while (true) {
    const auto page = (*reader)->next(500, std::chrono::milliseconds(0));
    if (!page) std::abort();
    if (page->empty()) break;
    read += page->size();
  }
  std::printf("%zu records read in %.2f s: %zu MiB\n", read, seconds_since(began), resident_mib());
}

}  // namespace
}  // namespace tilth

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[2]) == "fill") {
    tilth::fill(argv[1], std::strtoull(argv[3], nullptr, 10));
  } else if (argc == 2 || argc == 3) {
    tilth::compare(argv[1], argc == 3 ? std::strtod(argv[2], nullptr) : 1);
  } else {
    std::fprintf(stderr, "usage: embedded_log_bench DIRECTORY [SECONDS | fill RECORDS]\n");
    return 2;
  }
}
