// A webhook row, and its path in requests.

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/integrations/webhook.h"
#include "projections/rows/rows.h"

namespace tilth {

// A secret that a newer one has replaced: both sign for a while.
struct ReplacedSecret {
  WebhookSecretId id = {};
  Timestamp until = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("until", until));
  }
};

// What is known of a webhook's replays besides its history.
struct WebhookReplays {
  std::uint64_t open = 0;                 // taken up, and not ended
  std::int64_t next_request_version = 0;  // requests before it were taken up
};

struct Webhook {
  using Created = WebhookCreated;
  using Amended = WebhookAmended;
  using Removed = WebhookRemoved;
  using Details = WebhookDetails<Own>;
  using Changes = WebhookDetails<Patch>;
  using ParentPath = WholeStream;
  using Path = struct WebhookPath;

  static constexpr std::string_view kTable = "webhook";
  static constexpr std::array<std::string_view, 1> kSorts{"createdAt"};
  static constexpr std::array<std::string_view, 0> kFilters{};
  static constexpr std::chrono::hours kReplacedSigns{24};
  static constexpr std::size_t kMostReplaced = 5;  // secrets that sign besides the one in force
  static constexpr std::size_t kMostReplays = 10;  // that have not ended

  WebhookId id = {};
  WebhookDetails<Own> details = {};
  std::optional<std::string> disabled_reason = {};
  Timestamp created_at = {};
  Timestamp updated_at = {};
  WebhookSecretId secret_id = {};
  std::vector<ReplacedSecret> replaced_secrets = {};
  std::int64_t first_version = 0;  // of the owner's stream: the first event that is sent
  // The newest requests for a replay: their versions in the owner's stream.
  std::vector<std::int64_t> replay_requests = {};

  WebhookActivity activity = {};  // as known at the last change

  // How many replays have not ended, those included that wait to be taken up.
  std::uint64_t unended(const WebhookReplays& replays) const {
    const auto waits = [&](auto version) { return version >= replays.next_request_version; };
    return replays.open + static_cast<std::uint64_t>(
                              std::count_if(replay_requests.begin(), replay_requests.end(), waits));
  }

  // With what is known now.
  Webhook with(const WebhookActivity& latest) const {
    auto row = *this;
    row.activity.last_success_at = std::max(activity.last_success_at, latest.last_success_at);
    row.activity.last_failure_at = std::max(activity.last_failure_at, latest.last_failure_at);
    return row;
  }

  // As responses show it.
  struct Shown {
    WebhookId id;
    WebhookDetails<Own> details;
    std::optional<std::string> disabled_reason;
    WebhookActivity activity;
    Timestamp created_at;
    Timestamp updated_at;

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("id", id));
      details.serialize(ar);
      ar(member("disabledReason", disabled_reason));
      activity.serialize(ar);
      ar(member("createdAt", created_at), member("updatedAt", updated_at));
    }
  };
  Shown shown() const { return {id, details, disabled_reason, activity, created_at, updated_at}; }

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const { index.sort(created_at); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    details.serialize(ar);
    ar(member("disabledReason", disabled_reason), member("createdAt", created_at),
       member("updatedAt", updated_at), member("secretId", secret_id),
       member("replacedSecrets", replaced_secrets), member("firstVersion", first_version),
       member("replayRequests", replay_requests));
    activity.serialize(ar);
  }
};

// The path of a webhook in a request.
struct WebhookPath {
  using Row = Webhook;
  WebhookId webhook_id;

  Uuid row_id() const { return webhook_id.uuid; }
  bool leads_to(const Webhook&) const { return true; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", webhook_id));
  }
};

}  // namespace tilth
