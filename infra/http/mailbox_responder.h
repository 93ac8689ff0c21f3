// The responder that the server passes with each request.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/http/http.h"
#include "infra/http/mailbox.h"
#include "infra/http/memory_budget.h"

namespace tilth {

// Refers to its request by numbers only, so it may outlive the connection and the server.
class MailboxResponder final : public Responder {
 public:
  struct Request {
    std::uint64_t connection = 0;
    std::uint64_t number = 0;
  };

  // `gone` becomes true once the client has closed its side.
  MailboxResponder(std::shared_ptr<Mailbox> mailbox, Request request, const std::string& peer,
                   std::shared_ptr<const MemoryBudgets> memory,
                   std::shared_ptr<const std::atomic<bool>> gone)
      : mailbox_(std::move(mailbox)),
        request_(request),
        peer_(peer),
        memory_(std::move(memory)),
        gone_(std::move(gone)) {}

  ~MailboxResponder() override {
    if (mailbox_) mailbox_->post({request_.connection, request_.number, Unanswered{}});
  }

  bool reserve(std::size_t body_bytes, std::string_view account) override {
    reserved_ = memory_->answers->take(account.empty() ? peer_ : account, body_bytes);
    return reserved_ != nullptr;
  }

  void vouch(std::string_view account) override { vouched_ = Party::of_account(account); }

  void respond(HttpResponse response) override {
    if (const auto mailbox = std::exchange(mailbox_, nullptr)) {
      mailbox->post({request_.connection, request_.number,
                     BuiltAnswer{std::move(response), std::move(reserved_), vouched_}});
    }
  }

  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    const auto mailbox = std::exchange(mailbox_, nullptr);
    auto pipe = std::make_shared<BodyPipe>(
        [mailbox, request = request_] {
          if (mailbox) mailbox->post_later({request.connection, request.number, StreamMoves{}});
        },
        memory_->streams);
    if (mailbox) {
      mailbox->post(
          {request_.connection, request_.number, StreamBegins{std::move(head), pipe, vouched_}});
    } else {
      pipe->close();
    }
    return std::make_unique<PipeWriter>(std::move(pipe));
  }

  bool abandoned() const override { return gone_ && *gone_; }

 private:
  std::shared_ptr<Mailbox> mailbox_;  // null once it was used
  const Request request_;
  const std::string peer_;
  const std::shared_ptr<const MemoryBudgets> memory_;
  std::unique_ptr<MemoryShare> reserved_;
  std::optional<Party> vouched_;
  const std::shared_ptr<const std::atomic<bool>> gone_;
};

}  // namespace tilth
