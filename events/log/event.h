// One event of any type in the catalogue.

#pragma once

#include <concepts>
#include <cstdlib>
#include <memory>
#include <utility>

#include "events/json/described.h"

namespace tilth {

// A struct that describes itself and has a kType.
template <class E>
concept StoredEvent = requires {
  { E::kType } -> std::same_as<const EventType&>;
};

// Immutable, and cheap to copy: all copies share the same struct. An event is decoded or decided
// once, and every projection gets that same event.
//
// Threads: any.
class Event {
 public:
  template <StoredEvent E>
  Event(E event)  // NOLINT: every stored event is an Event
      : type_(&E::kType), value_(std::make_shared<const E>(std::move(event))) {}

  const EventType& type() const { return *type_; }

  template <StoredEvent E>
  bool is() const {
    return type_ == &E::kType;
  }

  // Null if the event has another type.
  template <StoredEvent E>
  const E* get_if() const {
    return is<E>() ? static_cast<const E*>(value_.get()) : nullptr;
  }

  // Aborts if the event has another type: that is a bug.
  template <StoredEvent E>
  const E& get() const {
    if (!is<E>()) std::abort();
    return *static_cast<const E*>(value_.get());
  }

 private:
  const EventType* type_;  // E::kType is one object in the whole program
  std::shared_ptr<const void> value_;
};

}  // namespace tilth
