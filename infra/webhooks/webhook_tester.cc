#include "infra/webhooks/webhook_tester.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "events/json/json_writer.h"
#include "infra/webhooks/signed_post.h"
#include "projections/fold/record_rows.h"
#include "query/integrations/webhook.h"

namespace tilth {
namespace {

constexpr std::ptrdiff_t kMostTests = 32, kMostOfOwner = 4;

struct TestData {
  WebhookId webhook_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("webhookId", webhook_id));
  }
};

struct TestEvent {
  std::string specversion = "1.0";
  Uuid id;
  std::string source;
  std::string type = "tilth.webhook.test";
  std::string subject;
  Timestamp time;
  std::string datacontenttype = "application/json";
  TestData data;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("specversion", specversion), member("id", id), member("source", source),
       member("type", type), member("subject", subject), member("time", time),
       member("datacontenttype", datacontenttype), member("data", data));
  }
};

}  // namespace

void WebhookTester::send(const std::string& owner, const WebhookId& id, const OnTested& done) {
  if (ended_) return (*done)(*ended_);
  std::optional<Webhook> row;
  try {
    if (const auto view = parts_.registry.of(owner).projector().view(owner))
      row = view->rows.find(id);
  } catch (const UnreadableRows&) {
    return (*done)(Error{ErrorCode::kUnavailable, "The webhooks cannot be read."});
  }
  if (!row) return (*done)(there_is_no<Webhook>());
  const auto of_owner = std::count_if(under_way_.begin(), under_way_.end(),
                                      [&](const auto& each) { return each.second == owner; });
  if (of_owner >= kMostOfOwner || std::ssize(under_way_) >= kMostTests) {
    return (*done)(Error{.code = ErrorCode::kUnavailable,
                         .message = "Too many webhooks are being tested at once.",
                         .retry_after_seconds = 1});
  }
  const auto now = parts_.clock.now();
  const TestEvent event{.id = parts_.ids.uuid(now),
                        .source = parts_.source,
                        .subject = owner,
                        .time = now,
                        .data = {id}};
  under_way_.emplace(done, owner);
  auto post = signed_post(parts_, *row, event.id.text(),
                          std::make_shared<const std::string>(JsonWriter::text(event)));
  sender_.send(std::move(post), [this, done](WebhookAnswer answer) {
    if (under_way_.erase(done) == 0) return;  // it was answered at the end
    (*done)(WebhookTest{answer.status, answer.took.count(),
                        answer.error.empty() ? std::nullopt : std::optional(answer.error),
                        std::move(answer.body)});
  });
}

void WebhookTester::end(const Error& error) {
  ended_ = error;
  for (const auto& [done, owner] : std::exchange(under_way_, {})) (*done)(error);
}

}  // namespace tilth
