#include "infra/http/response_queue.h"

#include <array>
#include <charconv>
#include <utility>

namespace tilth {
namespace {

void append_chunk(SendQueue& out, std::string bytes, std::unique_ptr<MemoryShare> memory) {
  std::array<char, 18> size;
  auto* end = std::to_chars(size.data(), size.data() + 16, bytes.size(), 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(std::string_view(size.data(), static_cast<std::size_t>(end - size.data())));
  out.append(std::move(bytes), std::move(memory));
  out.append(std::string_view("\r\n"));
}

}  // namespace

void ResponseQueue::abandon() {
  for (auto& place : places_) {
    if (auto* stream = std::get_if<Stream>(&place.answer)) stream->pipe->close();
  }
  places_.clear();
  unanswered_ = waiting_bytes_ = 0;
}

std::uint64_t ResponseQueue::expect(const AnswerForm& form) {
  places_.push_back({form, Waiting{}});
  ++unanswered_;
  return first_ + places_.size() - 1;
}

void ResponseQueue::expect_continue() { places_.push_back({{}, Continue{}}); }

ResponseQueue::Place* ResponseQueue::find(std::uint64_t number) {
  if (number < first_ || number - first_ >= places_.size()) return nullptr;
  auto& place = places_[number - first_];
  return std::holds_alternative<Waiting>(place.answer) ? &place : nullptr;
}

void ResponseQueue::put(std::uint64_t number, HttpResponse response,
                        std::unique_ptr<MemoryShare> memory) {
  auto* place = find(number);
  if (place == nullptr) return;
  --unanswered_;
  waiting_bytes_ += response.body_size();
  place->answer = Whole{std::move(response), std::move(memory)};
}

void ResponseQueue::put(std::uint64_t number, HttpResponse head, std::shared_ptr<BodyPipe> pipe) {
  auto* place = find(number);
  if (place == nullptr || !carries_body(head, place->form)) pipe->close();
  if (place == nullptr) return;
  --unanswered_;
  if (draining_) pipe->decline();
  place->answer = Stream{std::move(head), std::move(pipe)};
}

void ResponseQueue::advance(SendQueue& out) {
  while (!places_.empty() && end_ == End::kNotYet) {
    Place& place = places_.front();
    if (std::holds_alternative<Waiting>(place.answer)) return;
    bool keep_alive = true;
    if (std::holds_alternative<Continue>(place.answer)) {
      out.append(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
    } else {
      if (draining_ && places_.size() == 1) place.form.keep_alive = false;
      if (auto* whole = std::get_if<Whole>(&place.answer)) {
        write(place.form, *whole, out);
      } else if (!write(place, std::get<Stream>(place.answer), out)) {
        return;
      }
      keep_alive = place.form.keep_alive;
    }
    leave(keep_alive);
  }
}

void ResponseQueue::write(const AnswerForm& form, Whole& whole, SendQueue& out) {
  auto& response = whole.response;
  waiting_bytes_ -= response.body_size();
  auto& tail = out.tail();
  const auto before = tail.size();
  append_head(tail, response, form, Framing::kLength);
  out.grown(tail.size() - before);
  if (!carries_body(response, form)) return;
  if (response.body.empty()) {
    out.append(std::move(response.shared_body));
  } else {
    out.append(std::move(response.body), std::move(whole.memory));
  }
}

bool ResponseQueue::write(Place& place, Stream& stream, SendQueue& out) {
  const bool chunked = !place.form.http_1_0;
  const bool bodiless = !carries_body(stream.head, place.form);
  if (!stream.begun) {
    stream.begun = true;
    if (!chunked && !bodiless) place.form.keep_alive = false;
    auto& tail = out.tail();
    const auto before = tail.size();
    append_head(tail, stream.head, place.form, chunked ? Framing::kChunked : Framing::kUntilClose);
    out.grown(tail.size() - before);
  }
  if (bodiless) return true;
  if (out.size() > kAhead) return false;

  auto [bytes, memory, end] = stream.pipe->take();
  if (!bytes.empty() && chunked) {
    append_chunk(out, std::move(bytes), std::move(memory));
  } else {
    out.append(std::move(bytes), std::move(memory));
  }
  switch (end) {
    case BodyPipe::Taken::End::kNotYet:
      return false;
    case BodyPipe::Taken::End::kEnded:
      if (chunked) out.append(std::string_view("0\r\n\r\n"));
      return true;
    case BodyPipe::Taken::End::kAbandoned:
      end_ = chunked ? End::kCutShort : End::kCutUnseen;
      return false;
  }
  return false;
}

void ResponseQueue::leave(bool keep_alive) {
  places_.pop_front();
  ++first_;
  if (!keep_alive) end_ = End::kComplete;
}

void ResponseQueue::drain() {
  draining_ = true;
  for (auto& place : places_) {
    if (auto* stream = std::get_if<Stream>(&place.answer)) stream->pipe->decline();
  }
}

bool ResponseQueue::streaming() const {
  return !places_.empty() && std::holds_alternative<Stream>(places_.front().answer);
}

}  // namespace tilth
