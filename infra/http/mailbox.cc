#include "infra/http/mailbox.h"

#include <system_error>
#include <utility>

#include <sys/eventfd.h>

namespace tilth {
namespace {

// The mailbox whose worker runs in this thread, and its reader.
thread_local const Mailbox* mine = nullptr;
thread_local LetterReader* my_reader = nullptr;

int new_event() {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

void drop(const Letter& letter) {
  if (const auto* stream = std::get_if<StreamBegins>(&letter.content)) stream->pipe->close();
}

}  // namespace

Mailbox::Mailbox() : event_(new_event()) {}

Mailbox::~Mailbox() { close(); }

void Mailbox::post(Letter letter) {
  if (mine == this) return my_reader->read(std::move(letter));
  post_later(std::move(letter));
}

void Mailbox::post_later(Letter letter) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return drop(letter);
    letters_.push_back(std::move(letter));
    if (letters_.size() > 1) return;
  }
  ::eventfd_write(event_.get(), 1);
}

std::vector<Letter> Mailbox::take() {
  eventfd_t count = 0;
  ::eventfd_read(event_.get(), &count);
  const std::lock_guard lock(mutex_);
  return std::exchange(letters_, {});
}

void Mailbox::belongs_to(LetterReader& reader) {
  mine = this;
  my_reader = &reader;
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& letter : letters_) drop(letter);
  letters_.clear();
}

}  // namespace tilth
