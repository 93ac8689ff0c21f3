// What was sent to webhooks, and whether docs/webhooks.md bears it out. It knows the history by the
// log alone, and shares no code with what it judges but the form of an event.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/keys/key_digest.h"
#include "events/integrations/webhook.h"
#include "events/log/event.h"
#include "events/log/event_log.h"
#include "events/log/version_gate.h"
#include "infra/webhooks/webhook_sender.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class DeliveryLedger {
 public:
  // `one_sends`: the nodes agree which of them sends.
  DeliveryLedger(World& world, const SimulatedTopic& land, bool one_sends)
      : world_(world), land_(land), one_sends_(one_sends) {}

  // A node sends, in its so-many-th turn. What it is told of the answer says which request that
  // was.
  struct Request {
    std::string node;
    std::uint64_t tenure = 0;
    Timestamp at = {};
    std::pair<WebhookId, std::string> way = {};
  };
  Request sent(const std::string& node, std::uint64_t turn, const WebhookPost& post);
  // `status`: null if there was no answer.
  void answered(const Request& request, std::optional<int> status);
  // It need not know any more what it has sent.
  void forget_sender(const std::string& node);
  // It has read an event about a webhook, after so many turns.
  void heard(const std::string& node, std::uint64_t turns, const Record& record);

  // A receiver has got that, and answers so.
  void arrived(const WebhookPost& post, int status);

  // What webhooks that are active have not got, though they should have.
  std::size_t missing();
  // Reports what should have been sent again by now, where nothing fails.
  void check_retries();
  // Reports what does not hold in the end.
  void check();

  // All nodes derive from it by what they sign.
  const KeyDigest& digest() const { return digest_; }

  // Another stream that there is, or else this one.
  std::string another_owner(const std::string& owner);
  struct Known {
    WebhookId id;
    bool is_active, is_disabled;
  };
  // Whether that webhook has got that event.
  bool has_got(const WebhookId& webhook, const std::string& event) const {
    return delivered_.contains({webhook, event});
  }
  // The webhooks that there are of an owner.
  std::vector<Known> webhooks_of(const std::string& owner);

  // The webhooks of an owner that were removed.
  std::vector<WebhookId> removed_of(const std::string& owner);

  // Nothing fails, and all nodes have read all that there is.
  void begin_rest() { is_at_rest_ = true; }
  // From now on all that is sent is told to all nodes before any of them takes over. Before, a node
  // may have stored what it could not tell the others, and may send that again one day.
  void begin_late() { is_late_ = true; }
  // The events that were sent to a webhook since then alone, and have arrived.
  std::set<std::string> late_events_of(const WebhookId& webhook) const;
  // When the last one that has arrived since then was sent; null: there is none.
  std::optional<Timestamp> late_success_of(const WebhookId& webhook) const;

  std::size_t requests() const { return requests_; }
  std::size_t delivered() const { return delivered_.size(); }
  std::size_t records() const { return records_; }

 private:
  struct Happened {
    std::string id, type, body;
    Timestamp time;
  };
  struct Replay {
    std::uint64_t at;  // the version of the request
    WebhookReplayRequested what;
  };
  struct Subscriber {
    WebhookId id;
    std::string owner, url;
    std::uint64_t first = 0;  // version
    // What it wants, from which version on.
    std::vector<std::pair<std::uint64_t, std::vector<std::string>>> types = {};
    // Each signs from that time on.
    std::vector<std::pair<WebhookSecretId, Timestamp>> secrets = {};
    std::uint64_t changed_at = 0;  // version
    bool is_active = true, is_removed = false, is_disabled = false;
    std::vector<Replay> replays = {};
    std::map<std::uint64_t, int> resends = {};  // by version of the event
  };
  // An event on its way to a webhook.
  using Way = std::pair<WebhookId, std::string>;
  // What one node knows of it.
  struct Progress {
    int under_way = 0, attempts = 0, delivered = 0;
    bool is_gone = false;
    Timestamp failed_at = {};
  };

  void read_on();
  void take(const Record& record, const std::string& body);
  void fold(Subscriber& webhook, std::uint64_t version, const Event& event);
  Subscriber* find(const std::string& url);
  int reasons(const Subscriber& webhook, std::uint64_t version) const;
  bool wants(const Subscriber& webhook, std::uint64_t version, const Happened& event) const;
  bool must_have(const Subscriber& webhook, std::uint64_t version, const Happened& event) const;
  static bool asks_from(const Subscriber& webhook, std::uint64_t version, const std::string& type);
  static bool asks_since(const Subscriber& webhook, std::uint64_t version, const std::string& type);
  static bool is_replayed(const Subscriber& webhook, std::uint64_t at,
                          const WebhookReplayRequested& what, const Happened& event);
  bool may_be_given_up(const Subscriber& webhook, const std::string& event) const;
  int left_to(const std::string& node, const Way& way) const;
  std::set<std::string> signatures(const Subscriber& webhook, std::size_t newest, Timestamp now,
                                   const WebhookPost& post) const;
  void judge_signature(const std::string& node, std::uint64_t turn, const Subscriber& webhook,
                       const WebhookPost& post);
  void judge_again(const std::string& node, const Subscriber& webhook, std::uint64_t version,
                   const std::string& event);
  void judge_late(const std::string& node, const Subscriber& webhook, std::uint64_t version,
                  const std::string& event);
  void judge_node(const std::string& node, std::uint64_t turn, const Subscriber& webhook,
                  std::uint64_t version, const std::string& event);

  World& world_;
  const SimulatedTopic& land_;
  const KeyDigest digest_{"secret"};
  const bool one_sends_;
  std::vector<std::size_t> read_;  // by partition
  VersionGate gate_;
  std::map<std::string, std::vector<Happened>> streams_;
  std::map<std::string, std::pair<std::string, std::uint64_t>> by_id_;  // stream and version
  std::vector<Subscriber> webhooks_;
  std::map<std::string, std::map<Way, Progress>> progress_;                   // by node
  std::map<std::string, std::uint64_t> tenures_;                              // by node
  std::map<Way, std::set<std::pair<std::string, std::uint64_t>>> failed_in_;  // node and tenure
  // By node, after so many turns: a webhook gets nothing for now; it has another secret.
  std::map<std::pair<std::string, WebhookId>, std::uint64_t> heard_stopped_;
  std::map<std::pair<std::string, WebhookSecretId>, std::uint64_t> heard_rotated_;
  std::map<Way, int> attempts_;         // by all nodes
  std::map<Way, Timestamp> failed_at_;  // of those that failed last, by all nodes
  std::set<Way> delivered_, gone_;
  std::map<Way, int> late_;                      // how often it has arrived
  std::map<WebhookId, Timestamp> late_success_;  // when it was sent
  std::map<WebhookId, std::uint64_t> given_up_;  // the stream's version, once all are at rest
  bool is_at_rest_ = false, is_late_ = false;
  std::map<Way, std::uint64_t> sent_at_;                                   // the stream's version
  std::optional<std::pair<std::string, World::Steady::time_point>> last_;  // node and time
  std::size_t requests_ = 0, records_ = 0;
};

}  // namespace tilth::testing
