// One connection between two nodes that have proved to each other who they are: frames in both
// directions, sealed.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "infra/http/turn.h"
#include "infra/peers/peer_channel.h"
#include "infra/peers/peer_counts.h"
#include "infra/system/descriptor.h"

namespace tilth {

// Operation: a frame is sealed and given to the kernel within send(), unless the kernel has no room
// or the calling thread is in a Turn: the frames of all that it has read go out together, many
// small ones as one record.
//
// Threads: send(), has_room() and what tells of them from any; the rest from the loop's.
class PeerLink final : public Turn::Ending, public std::enable_shared_from_this<PeerLink> {
 public:
  PeerLink(Descriptor socket, std::unique_ptr<PeerChannel> channel,
           std::shared_ptr<PeerCounts> counts);

  // Sends one frame; returns its place among all bytes that are sent: it is surely unsent while
  // given() is not beyond that. A frame for a broken connection is dropped.
  std::uint64_t send(std::string_view frame);
  std::uint64_t given() const;  // bytes that the kernel has taken

  std::size_t waiting() const;  // bytes that it has not
  bool has_room() const { return waiting() < kAhead; }

  // The socket has room again.
  void flush();
  void on_end_of_turn() override { flush(); }

  // Reads all there is, or up to the end if there is one, but only so much that others of the same
  // thread wait little for it; `take` gets the frames of one record, and returns whether they made
  // sense.
  enum class Read : std::uint8_t { kAll, kMore, kEnded, kBroken, kNonsense };
  Read receive(bool to_the_end, const std::function<bool(std::string_view frames)>& take);

  // Nothing more will be sent; what was sent arrives.
  void end_sending();
  // Closes it in both directions at once.
  void break_off();

  int socket() const { return socket_.get(); }

 private:
  static constexpr std::size_t kAhead = std::size_t{128} << 10;  // of bodies
  static constexpr std::size_t kTogether = std::size_t{16} << 10;

  void seal();
  void write();
  void fail();

  const Descriptor socket_;
  const std::unique_ptr<PeerChannel> channel_;
  const std::shared_ptr<PeerCounts> counts_;

  mutable std::mutex mutex_;  // guards what is sent
  std::string plain_;         // frames that are not sealed yet; at most a record
  std::string sealed_;
  std::size_t written_ = 0;       // of sealed_
  std::uint64_t sealed_end_ = 0;  // bytes sealed so far
  std::uint64_t given_ = 0;
  bool broken_ = false;
  bool ends_ = false;

  std::string received_;
  std::size_t received_bytes_ = 0;
  std::string opened_;
};

}  // namespace tilth
