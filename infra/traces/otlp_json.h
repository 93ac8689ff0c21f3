// The body of an export by the OpenTelemetry protocol (OTLP 1, JSON), and the collector's response.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "infra/traces/span.h"

namespace tilth {

// What the spans come from.
struct TraceResource {
  std::string version;   // of the service
  std::string instance;  // of the node
};

// An ExportTraceServiceRequest. Attributes are those of the semantic conventions for HTTP servers,
// except url.path and url.query, which may name a person.
std::string otlp_json(const TraceResource& resource, std::span<const Span> spans);

// How many spans the response to an accepted export reports as rejected; 0 if it cannot be read.
std::uint64_t rejected_spans(std::string_view response);

}  // namespace tilth
