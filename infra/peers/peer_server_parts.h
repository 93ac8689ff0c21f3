// Where the port for nodes listens, who may use it, and what it serves.

#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "infra/config/config.h"
#include "infra/http/memory_budget.h"
#include "infra/log_lines/log_lines.h"
#include "infra/peers/peer_secret.h"

namespace tilth {

struct PeerServerParts {
  using Steady = std::chrono::steady_clock;

  HostPort at;  // port 0 picks a free one
  const PeerSecret& secret;
  std::string cluster;  // nodes of another one are refused
  std::string node;     // id of this one
  HttpHandler& handler;
  LogLines& log_lines;
  std::size_t most_body_bytes = std::size_t{1} << 20;  // in memory
  std::filesystem::path spool_directory = {};          // for large bodies; empty: takes none
  std::size_t most_spooled_bytes = std::size_t{1} << 30;
  std::shared_ptr<const MemoryBudgets> memory = std::make_shared<const MemoryBudgets>();
  std::function<Steady::time_point()> steady = Steady::now;
};

}  // namespace tilth
