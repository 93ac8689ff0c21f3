// Details and events of a leaf sample: leaves of one block.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/location.h"
#include "events/operations/nutrients.h"

namespace tilth {

using LeafSampleId = Id<struct LeafSample>;

enum class LeafTissue : std::uint8_t { kLeaf, kPetiole };

constexpr auto labels(LeafTissue) { return named<LeafTissue>("leaf", "petiole"); }

struct LeafSampleDetails {
  Timestamp sampled_at = {};
  std::optional<std::string> lab = {};
  std::optional<LeafTissue> tissue = {};
  std::optional<std::string> growth_stage = {};
  Nutrients nutrients = {};
  std::optional<std::string> notes = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("sampledAt", sampled_at, {.required = true}), member("lab", lab, {.max_length = 200}),
       member("tissue", tissue), member("growthStage", growth_stage, {.max_length = 100}));
    nutrients.serialize(ar);
    ar(member("notes", notes, {.max_length = 5'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct LeafSampleRecorded : Recorded<LeafSample, OnBlock, LeafSampleDetails> {
  static constexpr EventType kType{"tilth.leaf_sample.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "leafSampleId", "recordedAt");
  }
};

// Stored forever.
struct LeafSampleRemoved : Removed<LeafSample> {
  static constexpr EventType kType{"tilth.leaf_sample.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "leafSampleId");
  }
};

}  // namespace tilth
