// Reads HTTP/1 requests from the bytes of one connection, strictly: bytes that two parsers could
// read as different requests are refused, which prevents request smuggling past a proxy.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http/http.h"
#include "events/values/result.h"
#include "infra/http/memory_budget.h"
#include "infra/http/refused_bytes.h"
#include "infra/http/spooled_body.h"

namespace tilth {

struct ReaderLimits {
  std::size_t max_body_bytes = std::size_t{1} << 20;
  // What to do with a body; not asked about a small one that came with its head. Null: memory.
  std::function<BodyPlan(HttpRequest& head)> plan = {};
  // Makes the file of a body that may be large; max_spooled_bytes is its limit then. Null: there
  // are no files. kUnavailable: a disk error; the request is refused.
  std::function<Result<std::shared_ptr<SpooledBody>>()> spool = {};
  std::shared_ptr<MemoryBudget> memory = {};  // of bodies; null: unlimited
  std::size_t max_spooled_bytes = std::size_t{1} << 40;
  std::size_t max_request_line_bytes = std::size_t{16} << 10;
  std::size_t max_head_bytes = std::size_t{32} << 10;  // request line and headers
  std::size_t max_headers = 100;
};

// A whole request except for its `peer`. If keep_alive is false, nothing is read after it.
struct CompleteRequest {
  HttpRequest request;
  bool keep_alive = true;
  bool http_1_0 = false;
};

// The client waits for a 100 before it sends the body of the current request.
struct AwaitsContinue {};

// All bytes fed so far have been read.
struct NeedsMore {};

using ReadOutcome = std::variant<NeedsMore, CompleteRequest, AwaitsContinue, Refusal>;

// The outcomes depend only on the bytes, not on how they were split, but for one: the plan is asked
// for a short body only if it did not come with its head. Memory: the body so far and the bytes not
// read yet; never what a client only announces. Threads: one.
class RequestReader {
 public:
  enum class Phase : std::uint8_t {
    kBetween,  // no byte of the next request was seen
    kHead,
    kBody,
    kStopped,  // what follows is ignored
  };

  explicit RequestReader(const ReaderLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  void feed(std::string_view bytes);

  // The next outcome of the bytes fed so far; call it until NeedsMore.
  ReadOutcome next();

  Phase phase() const { return phase_; }

  // The headers of the request that is being read or was refused, as far as they have arrived. None
  // between two requests.
  std::vector<HttpHeader> headers() const;

 private:
  class Parser;

  bool skip_empty_line();
  ReadOutcome read_head();
  ReadOutcome begin_body();
  bool apply_plan(bool has_arrived);
  std::size_t most_body_bytes() const;
  ReadOutcome read_body();
  ReadOutcome complete();
  ReadOutcome too_large();
  CompleteRequest head_alone();
  ReadOutcome refuse(int status, std::string_view reason);

  std::string_view unread() const { return std::string_view(buffer_).substr(read_); }
  void consume(std::size_t bytes);
  void release_buffer();

  const ReaderLimits limits_;
  std::unique_ptr<Parser> parser_;
  std::string buffer_;
  std::size_t read_ = 0;     // of the buffer
  std::size_t scanned_ = 0;  // of the unread bytes, while in the head
  std::size_t line_start_ = 0;
  std::size_t lines_ = 0;
  std::size_t chunk_extension_bytes_ = 0;
  std::size_t most_body_bytes_ = limits_.max_body_bytes;  // of the current request, in memory
  Phase phase_ = Phase::kBetween;
  bool skipped_empty_line_ = false;
};

}  // namespace tilth
