// RocksDB alone, with durable writes: the baseline for the service's writes.
//
// Usage: bench_synced_writes DIRECTORY THREADS SECONDS BYTES
//
// Each thread puts one record of BYTES bytes after the other and syncs each; RocksDB groups
// concurrent writes. The first fraction of a second is not counted.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rocksdb/db.h>

#include "bench/closed_loop.h"

namespace {

using Clock = std::chrono::steady_clock;

void write(rocksdb::DB& db, std::atomic<std::uint64_t>& next, const std::string& record,
           Clock::time_point from, Clock::time_point until,
           std::vector<std::uint32_t>& microseconds) {
  rocksdb::WriteOptions durable;
  durable.sync = true;
  for (auto began = Clock::now(); began < until;) {
    const auto number = __builtin_bswap64(next++);
    const auto status =
        db.Put(durable, {reinterpret_cast<const char*>(&number), sizeof number}, record);
    if (!status.ok()) throw std::runtime_error(status.ToString());
    const auto now = Clock::now();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(now - began);
    if (now >= from && now < until) {
      microseconds.push_back(static_cast<std::uint32_t>(took.count()));
    }
    began = now;
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 5) throw std::runtime_error("DIRECTORY THREADS SECONDS BYTES");
  const std::filesystem::path directory = arguments[1];
  const auto threads = std::stoul(arguments[2]);
  const double seconds = std::stod(arguments[3]);
  const auto record = tilth::bench::noise(std::stoul(arguments[4]));

  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options, directory, &opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  const std::unique_ptr<rocksdb::DB> db(opened);

  const auto from = Clock::now() + tilth::bench::kWarmUp;
  const auto until =
      from + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::atomic<std::uint64_t> next = 0;
  std::vector<std::vector<std::uint32_t>> each(threads);
  {
    std::vector<std::jthread> writers;
    for (auto& times : each) {
      writers.emplace_back([&] { write(*db, next, record, from, until, times); });
    }
  }
  std::vector<std::uint32_t> times;
  for (const auto& one : each) times.insert(times.end(), one.begin(), one.end());
  tilth::bench::print_result(std::move(times), seconds);
} catch (const std::exception& error) {
  std::cerr << "bench_synced_writes: " << error.what() << '\n';
  return 1;
}
