// Where a server listens, what it allows clients, and its callbacks.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "infra/http/embedded_loop.h"
#include "infra/http/memory_budget.h"

namespace tilth {

// Deadlines use the steady clock and are accurate to a small part of their length.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0 picks a free one
  int workers = 2;         // threads that read, handle and write
  // What each of them runs as well; null: nothing. Ends before drain() returns.
  MakeEmbeddedLoop embed = {};

  std::size_t max_body_bytes = std::size_t{1} << 20;
  std::filesystem::path spool_directory = {};  // for the large bodies that the handler takes
  std::size_t max_connections = 10'000;
  std::size_t max_connections_per_address = 10'000;  // of an IPv6 client: per /64
  // Addresses without that limit: proxies, behind which there are many clients. Null: none.
  std::function<bool(const std::string& peer)> is_shared_address = {};
  std::shared_ptr<const MemoryBudgets> memory = std::make_shared<const MemoryBudgets>();
  std::size_t max_requests_in_flight = 64;  // of one connection; its further input waits

  // From the first byte of every request to the end of its headers.
  std::chrono::milliseconds header_deadline{10'000};
  // For the body; restarts whenever body_progress_bytes have arrived within it.
  std::chrono::milliseconds body_deadline{30'000};
  std::size_t body_progress_bytes = std::size_t{64} << 10;
  // Without a request.
  std::chrono::milliseconds idle_deadline{60'000};
  // For a client that reads nothing of what is sent to it.
  std::chrono::milliseconds write_deadline{30'000};
  // How long further input is read and dropped after the last response, so that the client can read
  // that response.
  std::chrono::milliseconds linger_deadline{2'000};
  // So many refusals of strangers are sent at once, by each worker; others are held for that long.
  double refusals_each_second = 50;
  std::chrono::milliseconds refusal_hold{500};

  // Threads: called on the server's own, also concurrently; must not block.
  std::function<void(std::int64_t open)> on_connections = [](std::int64_t) {};
  std::function<void(int status)> on_protocol_error = [](int) {};
  // A connection was closed in favor of a new one; a new one was refused.
  std::function<void()> on_evicted = [] {};
  std::function<void()> on_turned_away = [] {};
  // A client that goes on asking after refusals is read more slowly.
  std::function<void()> on_rest = [] {};
  std::function<void(std::string_view line)> log = [](std::string_view) {};
};

}  // namespace tilth
