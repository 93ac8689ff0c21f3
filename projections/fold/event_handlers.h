// What each type of event does to the rows of a projection.

#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "events/log/event.h"
#include "projections/rows/rows.h"

namespace tilth {

class EventHandlers {
 public:
  using Handler = std::function<void(MutableRows&, const Event&)>;

  // `handle(rows, e)` runs for each E, after the handlers that were added for it before.
  template <StoredEvent E, class Handle>
  EventHandlers& on(Handle handle) {
    add(E::kType, [handle = std::move(handle)](MutableRows& rows, const Event& event) {
      handle(rows, event.get<E>());
    });
    return *this;
  }

  EventHandlers& add(const EventHandlers& more);

  // Does nothing where no handler was added for this type of event.
  void handle(MutableRows& rows, const Event& event) const;

  // The names of the catalogue's events that have no handler. Events that the catalogue does not
  // know are not included.
  std::unordered_set<std::string_view> ignored() const;

 private:
  void add(const EventType& type, Handler handler);

  std::unordered_map<const EventType*, Handler> handlers_;
};

// Handlers that call `handle(rows, e)` for each E.
template <StoredEvent... E, class Handle>
EventHandlers handling(Handle handle) {
  EventHandlers handlers;
  (handlers.on<E>(handle), ...);
  return handlers;
}

// Handlers that call evolve(rows, e) for each E.
template <StoredEvent... E>
EventHandlers evolving() {
  return handling<E...>([](MutableRows& rows, const auto& e) { evolve(rows, e); });
}

}  // namespace tilth
