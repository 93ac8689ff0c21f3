// The nodes of a cluster that have the rows which this one has not.

#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "api/http/http.h"
#include "api/platform/cell_texts.h"
#include "api/routing/call.h"

namespace tilth {

// Port. Threads: any; nothing here may block.
class Forwarding {
 public:
  // Set on a request that is forwarded: whose it is, and what the node that admitted it knows of
  // keys and users, and of the reference data. Clients' own headers of these names are never
  // forwarded.
  static constexpr std::string_view kCaller = "tilth-forwarded-for",
                                    kAccessKnown = "tilth-forwarded-access",
                                    kReferenceKnown = "tilth-forwarded-reference";
  // Set on a question about all owners: of how many cells the land is; the body says what is asked
  // of which (cell_texts.h).
  static constexpr std::string_view kParts = "tilth-forwarded-parts";
  // Set on it, too: within how many milliseconds an answer is of use.
  static constexpr std::string_view kWithin = "tilth-forwarded-within";
  static constexpr int kNotHereStatus = 421;  // Misdirected Request (RFC 9110, 15.5.20)

  Forwarding() = default;
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  virtual ~Forwarding() = default;

  // Whether this node answers for the rows of that user.
  virtual bool is_here(const std::string& user_id) const = 0;

  // How many cells the owners' land has, and whether this node answers for one.
  virtual std::size_t cells() const = 0;
  virtual bool is_here(std::size_t cell) const = 0;

  // Asks other nodes for what their cells answer to a question about all owners. kUnavailable: no
  // node answers for one of the cells at the moment, or `within` has passed. Does not wait: `done`
  // runs on another thread.
  virtual void ask_cells(const Call& call, std::chrono::milliseconds within, CellTexts asks,
                         std::function<void(Result<CellTexts>)> done) = 0;

  // Has another node carry out the call, which is admitted and authorized, and sends its answer:
  // 503 if no node has the rows at the moment.
  virtual void forward(Call call) = 0;

  // For a request that another node forwards: calls `done` with true once this node knows what
  // that node knew, at once if it does, else on another thread; with false after a few seconds.
  virtual void when_known(const HttpRequest& request, std::function<void(bool)> done) = 0;

  // The user of a request that is forwarded; empty if it does not say.
  static std::string caller_of(const HttpRequest& request) {
    const auto* caller = request.header(kCaller);
    return caller == nullptr ? std::string() : *caller;
  }

  // Whether the request asks for parts of an answer, see kParts.
  static bool asks_for_parts(const HttpRequest& request) {
    return request.header(kParts) != nullptr;
  }

  // Null: it does not say, such as a node of an earlier release.
  static std::optional<std::chrono::milliseconds> within(const HttpRequest& request) {
    const auto* header = request.header(kWithin);
    std::int64_t milliseconds = 0;
    if (header == nullptr) return std::nullopt;
    const auto* end = header->data() + header->size();
    const auto read = std::from_chars(header->data(), end, milliseconds);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return std::chrono::milliseconds(milliseconds);
  }

  static HttpResponse not_here() { return {.status = kNotHereStatus}; }
};

}  // namespace tilth
