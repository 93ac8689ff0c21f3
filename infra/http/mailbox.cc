#include "infra/http/mailbox.h"

#include <system_error>
#include <utility>

#include <sys/eventfd.h>

namespace tilth {
namespace {

// The mailbox whose worker runs on this thread, and its reader.
thread_local const Mailbox* mine = nullptr;
thread_local WorkerMessageReader* my_reader = nullptr;

int new_event() {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

}  // namespace

void drop(const WorkerMessage& message) {
  if (const auto* stream = std::get_if<StreamBegins>(&message.content)) stream->pipe->close();
}

Mailbox::Mailbox() : event_(new_event()) {}

Mailbox::~Mailbox() { close(); }

bool Mailbox::post(WorkerMessage message) {
  if (mine != this) return post_later(std::move(message));
  my_reader->read(std::move(message));
  return true;
}

bool Mailbox::post_later(WorkerMessage message) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return drop(message), false;
    messages_.push_back(std::move(message));
    if (messages_.size() > 1) return true;
  }
  wake();
  return true;
}

void Mailbox::wake() { ::eventfd_write(event_.get(), 1); }

std::vector<WorkerMessage> Mailbox::take() {
  eventfd_t count = 0;
  ::eventfd_read(event_.get(), &count);
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

void Mailbox::belongs_to(WorkerMessageReader& reader) {
  mine = this;
  my_reader = &reader;
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& message : messages_) drop(message);
  messages_.clear();
}

}  // namespace tilth
