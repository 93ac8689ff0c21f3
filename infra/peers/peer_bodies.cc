#include "infra/peers/peer_bodies.h"

#include <algorithm>
#include <utility>

#include "infra/peers/peer_frames.h"

namespace tilth {

using Then = PeerBodies::Source::Then;

void PeerBodies::add(std::uint64_t id, std::unique_ptr<Source> source, bool streamed,
                     std::uint64_t credit) {
  auto& body = bodies_[id];
  body.source = std::move(source);
  body.streamed = streamed;
  body.credit = credit;
  queue(id, body);
}

void PeerBodies::queue(std::uint64_t id, Body& body) {
  if (body.credit > 0 && !std::exchange(body.queued, true)) ready_.push_back(id);
}

bool PeerBodies::credit(std::uint64_t id, std::uint64_t bytes) {
  const auto found = bodies_.find(id);
  if (found == bodies_.end()) return false;
  auto& credit = found->second.credit;
  credit += std::min(bytes, UINT64_MAX - credit);
  queue(id, found->second);
  return true;
}

void PeerBodies::wake(std::uint64_t id) {
  if (const auto found = bodies_.find(id); found != bodies_.end()) queue(id, found->second);
}

void PeerBodies::remove(std::uint64_t id) {
  const auto found = bodies_.find(id);
  if (found == bodies_.end()) return;
  found->second.source->close();
  bodies_.erase(found);
}

void PeerBodies::clear() {
  for (const auto& [id, body] : std::exchange(bodies_, {})) body.source->close();
  ready_.clear();
}

void PeerBodies::decline() {
  for (const auto& [id, body] : bodies_) body.source->decline();
}

void PeerBodies::send(PeerLink& link) {
  while (!ready_.empty() && link.has_room()) {
    const auto id = ready_.front();
    ready_.pop_front();
    const auto found = bodies_.find(id);
    if (found == bodies_.end()) continue;
    found->second.queued = false;
    if (send_piece(id, found->second, link)) queue(id, found->second);
  }
}

// Whether it may have more to send at once.
bool PeerBodies::send_piece(std::uint64_t id, Body& body, PeerLink& link) {
  const auto most = std::min<std::uint64_t>(body.credit, peer_frames::kMostPiece);
  const auto [bytes, then] = body.source->take(static_cast<std::size_t>(most));
  frame_.clear();
  if (!bytes.empty()) peer_frames::append(frame_, peer_frames::Piece{id, bytes});
  body.credit -= bytes.size();
  if (then == Then::kEnd && body.streamed) peer_frames::append(frame_, peer_frames::End{id});
  if (then == Then::kCut) peer_frames::append(frame_, peer_frames::Cut{id});
  if (!frame_.empty()) link.send(frame_);
  if (then == Then::kMore) return true;
  if (then == Then::kWait) return false;
  remove(id);
  ended_(id, then);
  return false;
}

PeerBodies::Source::Taken BytesSource::take(std::size_t most) {
  const auto bytes = rest_.substr(0, most);
  rest_.remove_prefix(bytes.size());
  return {bytes, rest_.empty() ? Then::kEnd : Then::kMore};
}

PeerBodies::Source::Taken FileSource::take(std::size_t most) {
  piece_.resize(most);
  const auto got = body_->read(piece_.data(), most);
  if (got < 0) return {{}, Then::kFailed};
  return {std::string_view(piece_).substr(0, static_cast<std::size_t>(got)),
          got == 0 ? Then::kEnd : Then::kMore};
}

PeerBodies::Source::Taken PipeSource::take(std::size_t most) {
  using End = BodyPipe::Taken::End;
  if (sent_ == taken_.bytes.size()) {
    taken_ = pipe_->take();
    sent_ = 0;
  }
  const auto bytes = std::string_view(taken_.bytes).substr(sent_, most);
  sent_ += bytes.size();
  if (sent_ < taken_.bytes.size()) return {bytes, Then::kMore};
  switch (taken_.end) {
    case End::kNotYet:
      return {bytes, bytes.empty() ? Then::kWait : Then::kMore};
    case End::kEnded:
      return {bytes, Then::kEnd};
    case End::kAbandoned:
      return {bytes, Then::kCut};
  }
  return {bytes, Then::kCut};
}

}  // namespace tilth
