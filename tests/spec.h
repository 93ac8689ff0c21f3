// Given what happened, when asked for this, then expect that event, nothing, or a refusal.

#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "command/decision.h"
#include "projections/access.h"
#include "projections/registry.h"
#include "projections/row_batch.h"
#include "tests/reads_back.h"

namespace tilth::testing {

template <class T>
T parsed(std::string_view text) {
  return T::parse(text).value();
}

// A UUID that is easy to tell from others in the output of a failing test.
template <class T>
T id(char digit) {
  return parsed<T>("00000000-0000-4000-8000-00000000000" + std::string(1, digit));
}

inline const auto kThen = parsed<Timestamp>("2026-02-01T12:00:00Z");
inline const auto kNow = parsed<Timestamp>("2026-03-01T06:30:00Z");

// What null in an amendment is.
template <class T>
Patch<std::optional<T>> null() {
  return {std::optional<T>{}};
}

// One line, so that a failing spec prints a readable difference.
inline std::string line(const Decision& decision) {
  if (!decision) {
    std::string text = "refused: " + decision.error().message;
    for (const auto& [path, messages] : decision.error().issues) {
      text += " " + path + " " + messages.front();
    }
    return text;
  }
  if (!*decision) return "nothing";
  const auto event = encode(**decision);
  return event.type + " " + event.json;
}

// Folds one event, and all that it takes with it.
template <class E>
void fold(RowStore& store, std::string_view stream, const E& event) {
  MutableRows rows(store, stream, 0);
  if constexpr (std::same_as<E, Event>) {
    evolve_registry(rows, event);
  } else {
    evolve(rows, event);
  }
  Sweep(rows.sweeps()).advance(rows, std::numeric_limits<std::size_t>::max());
}

class Spec {
 public:
  explicit Spec(std::string_view stream = "user_1") : stream_(stream) {}

  template <class... E>
  Spec& given(const E&... events) {
    (fold(*store_, stream_, events), ...);
    return *this;
  }
  template <class... E>
  Spec& given_reference(const E&... events) {
    (fold(*store_, kReferenceStream, events), ...);
    return *this;
  }

  template <class Command>
  Spec& when(const Command& command) {
    outcome_.emplace(decide(rows(), command, context));
    if (*outcome_ && **outcome_) expect_reads_back(***outcome_);
    return *this;
  }

  void then(const Event& expected) const { EXPECT_EQ(line(*outcome_), line({expected})); }
  void then_nothing() const { EXPECT_EQ(line(*outcome_), "nothing"); }
  void then_refused(ErrorCode code) const {
    ASSERT_FALSE(*outcome_) << "allowed: " << line(*outcome_);
    EXPECT_EQ(outcome_->error().code, code) << line(*outcome_);
  }
  const Error& refusal() const { return outcome_->error(); }

  Spec& if_match(std::string tag) {
    context.if_match = {std::move(tag)};
    return *this;
  }

  Rows rows() const { return {*store_, stream_, 0}; }
  // All that the store holds, to compare with another's.
  const RowBatch::Changes& kept() const { return store_->changes(); }

  Context context{kNow, id<Uuid>('9')};

 private:
  std::string stream_;
  std::shared_ptr<RowBatch> store_ = std::make_shared<RowBatch>();
  std::optional<Decision> outcome_;
};

template <class Row>
std::string tag_of(const Row& row) {
  return entity_tag(shown_json(row, kNow));
}

}  // namespace tilth::testing
