// Batches that clients send: what each request of them leads to, and whether the responses say so.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/http.h"
#include "command/decision.h"
#include "events/json/json.h"
#include "tests/simulation/batched_request.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// The nodes run the commands of batches through it, so that the ledger knows each.
class SentBatches final : public Commands {
 public:
  // Borrowed; must outlive it.
  struct Parts {
    World& world;
    Ledger& ledger;
    std::vector<std::unique_ptr<SimulatedNode>>& nodes;
    std::int64_t farm_limit = 0;
  };

  explicit SentBatches(Parts parts) : parts_(parts) {}

  struct Client {
    std::string owner;
    bool has_key = false;
    std::function<void(const CommandResult&)> learn;  // what a request has led to
    std::function<void(const Position&)> read;        // what the response says it shows
    std::function<void()> done;                       // nothing more is sent
  };
  // Sends them as one batch; the same again while the outcome of a part is not known, if it has a
  // key, and now and then once all of it is.
  void send(std::vector<BatchedWish> wishes, Client client);

  void carry_out(CommandRequest request, OnDone done) override;

  // Reports what does not hold of all that was sent, after Ledger::check().
  void check();

 private:
  struct Sending;
  struct Batch {
    Client client;
    std::vector<BatchedWish> wishes;
    bool stops = false;
    bool is_another = false;  // with the key of one before
    std::string key = {};     // empty: none
    std::string body = {};
    std::vector<std::shared_ptr<Sending>> sendings = {};
  };
  // A batch that was sent once. By place: what its requests have led to; null: nothing was begun.
  struct Sending {
    Batch& batch;
    SimulatedNode& node;
    std::shared_ptr<Attempt> claim = {};
    std::vector<std::shared_ptr<Attempt>> attempts = {};
    std::size_t done_before = 0;  // places up to the last one that may have been done before
    std::map<std::size_t, Timestamp> was_done = {};  // those that were, and when
    std::optional<HttpResponse> response = {};
    bool is_over = false;  // its client hears no more of it
  };

  void send_once(Batch& batch, int times_left);
  void send_another(Batch& batch);
  void ended(const std::shared_ptr<Sending>& sending, const std::optional<HttpResponse>& response,
             int times_left);
  std::optional<PlainRequest> asked(const Sending& sending, std::size_t place) const;
  void check_command(const CommandRequest& request, const Sending& sending, std::size_t place);
  std::string wrong_in(const Sending& sending, const HttpResponse& response) const;
  static std::string wrong_refusal(const Sending& sending, const HttpResponse& response);
  static std::string wrong_in_place(const Sending& sending, const Json& answer, std::size_t place);
  static bool was_done_under_its_key(const Sending& sending, std::size_t place);
  static std::string made_by(const Sending& sending, std::size_t place);
  static std::string wrong_in_read(const Sending& sending, const Json& answer, std::size_t place);
  static std::string wrong_order(const Sending& sending, const HttpResponse& response);
  void check_stop(const Sending& sending);
  void check_not_attempted(const Sending& sending);

  const Parts parts_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::map<std::string, std::shared_ptr<Sending>> sendings_;  // by id
};

}  // namespace tilth::testing
