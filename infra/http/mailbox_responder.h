// The responder that the server passes with each request.

#pragma once

#include <atomic>
#include <memory>

#include "api/http/http.h"
#include "infra/http/mailbox.h"

namespace tilth {

// Refers to its request by numbers only, so it may outlive the connection and the server.
class MailboxResponder final : public Responder {
 public:
  // `gone` becomes true once the client has closed its side.
  MailboxResponder(std::shared_ptr<Mailbox> mailbox, std::uint64_t connection,
                   std::uint64_t request, std::shared_ptr<const std::atomic<bool>> gone = nullptr)
      : mailbox_(std::move(mailbox)),
        connection_(connection),
        request_(request),
        gone_(std::move(gone)) {}

  ~MailboxResponder() override {
    if (mailbox_) mailbox_->post({connection_, request_, Unanswered{}});
  }

  void respond(HttpResponse response) override {
    if (const auto mailbox = std::exchange(mailbox_, nullptr)) {
      mailbox->post({connection_, request_, std::move(response)});
    }
  }

  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    const auto mailbox = std::exchange(mailbox_, nullptr);
    auto pipe = std::make_shared<BodyPipe>([mailbox, connection = connection_, request = request_] {
      if (mailbox) mailbox->post_later({connection, request, StreamMoves{}});
    });
    if (mailbox) {
      mailbox->post({connection_, request_, StreamBegins{std::move(head), pipe}});
    } else {
      pipe->close();
    }
    return std::make_unique<PipeWriter>(std::move(pipe));
  }

  bool abandoned() const override { return gone_ && *gone_; }

 private:
  std::shared_ptr<Mailbox> mailbox_;  // null once it was used
  const std::uint64_t connection_;
  const std::uint64_t request_;
  const std::shared_ptr<const std::atomic<bool>> gone_;
};

}  // namespace tilth
