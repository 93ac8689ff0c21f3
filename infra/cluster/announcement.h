// What a node announces about itself to the other nodes, and its form in the topic of the nodes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/described.h"
#include "events/log/event_log.h"
#include "events/values/time.h"

namespace tilth {

// How far a node has read a partition that it holds.
struct HeldPartition {
  std::int64_t partition = 0;
  std::int64_t next = 0;  // the first record that it has not read

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("partition", partition), member("next", next));
  }
  friend bool operator==(const HeldPartition&, const HeldPartition&) = default;
};

// Nodes of other versions read it: members may be added, and none may change its meaning.
struct Announcement {
  static constexpr std::string_view kType = "tilth.node.announced";

  // The envelope has these: the sender, this run of its process, and its clock.
  std::string node = {}, run = {};
  Timestamp at = {};

  std::string version = {};
  std::string address = {}, operator_address = {};
  std::vector<std::string> roles = {};
  Timestamp started_at = {};
  bool ready = false;
  bool left = false;  // it stops, and this is its last announcement
  std::vector<HeldPartition> holds = {};
  // Of a node that holds a part of the partitions: where other nodes reach it, how many nodes are
  // to hold each, and whether it gives away all that it holds.
  std::string peer_address = {};
  std::int64_t copies = 0;
  bool draining = false;
  // Of the partitions that it holds, those of which it follows not all, since a projection of
  // theirs is paused or faulted. Others that hold them answer better.
  std::vector<std::int64_t> halted = {};
  // The projections that do not go on, so that the node is not ready although it announced `ready`.
  std::vector<std::string> stopped = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("version", version), member("address", address),
       member("operatorAddress", operator_address), member("roles", roles),
       member("startedAt", started_at), member("ready", ready), member("left", left),
       member("holds", holds), member("peerAddress", peer_address), member("copies", copies),
       member("draining", draining), member("halted", halted), member("stopped", stopped));
  }
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

// The record of an announcement, with that id.
Record announcement_record(const Announcement& announcement, std::string id);

// The announcement of a record; nullopt if it is none.
std::optional<Announcement> read_announcement(const Record& record);

}  // namespace tilth
