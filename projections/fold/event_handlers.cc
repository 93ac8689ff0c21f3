#include "projections/fold/event_handlers.h"

#include "events/log/catalogue.h"

namespace tilth {

EventHandlers& EventHandlers::add(const EventHandlers& more) {
  for (const auto& [type, handler] : more.handlers_) add(*type, handler);
  return *this;
}

void EventHandlers::add(const EventType& type, Handler handler) {
  auto& handlers = handlers_[&type];
  if (!handlers) {
    handlers = std::move(handler);
    return;
  }
  handlers = [first = std::move(handlers), second = std::move(handler)](MutableRows& rows,
                                                                        const Event& event) {
    first(rows, event);
    second(rows, event);
  };
}

void EventHandlers::handle(MutableRows& rows, const Event& event) const {
  const auto found = handlers_.find(&event.type());
  if (found != handlers_.end()) found->second(rows, event);
}

std::unordered_set<std::string_view> EventHandlers::ignored() const {
  std::unordered_set<std::string_view> names;
  for (const auto& codec : event_codecs()) {
    if (!handlers_.contains(codec.type)) names.insert(codec.type->name);
  }
  return names;
}

}  // namespace tilth
