// What a port that serves HTTP is told: its limits, and who counts its connections.

#pragma once

#include "app/node/client_memory.h"
#include "infra/config/config.h"
#include "infra/http/server.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Without the size of bodies and the number of workers, which each port has its own way to choose.
// Connections leave some of the process' file descriptors to files, operators and webhooks. All
// arguments but `at` are borrowed, and must outlive the server.
ServerOptions port_options(const Config& config, const HostPort& at, Listener port,
                           const ClientMemory& memory, Metrics& metrics, LogLines& log_lines);

}  // namespace tilth
