#include "tests/simulation/world.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace tilth::testing {

Timestamp World::wall_clock() const {
  constexpr std::chrono::sys_days kBegin{std::chrono::year(2026) / 3 / 1};
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch());
  return {std::chrono::sys_time<std::chrono::milliseconds>(kBegin) + elapsed + passed_};
}

bool World::is_later(const ToCome& one, const ToCome& other) {
  return std::pair(one.at, one.number) > std::pair(other.at, other.number);
}

void World::after(Micros delay, std::function<void()> what) {
  to_come_.push_back({now_ + delay, arranged_++, std::move(what)});
  std::ranges::push_heap(to_come_, is_later);
}

bool World::step() {
  if (to_come_.empty()) return false;
  std::ranges::pop_heap(to_come_, is_later);
  const auto next = std::move(to_come_.back());
  to_come_.pop_back();
  now_ = next.at;
  ++steps_;
  next.what();
  return true;
}

void World::note(std::string_view what) const {
  static const bool kTraces = std::getenv("TILTH_TRACE") != nullptr;
  if (!kTraces) return;
  const auto micros = std::chrono::duration_cast<Micros>(now_.time_since_epoch()).count();
  std::cout << "  " << micros << " " << what << "\n";
}

World::Micros World::between(Micros least, Micros most) {
  const auto range = static_cast<std::uint64_t>((most - least).count()) + 1;
  return least + Micros(below(range));
}

Uuid World::uuid() {
  Uuid made;
  for (auto& byte : made.bytes) byte = static_cast<std::uint8_t>(chance_());
  made.bytes[6] = static_cast<std::uint8_t>((made.bytes[6] & 0x0F) | 0x40);
  made.bytes[8] = static_cast<std::uint8_t>((made.bytes[8] & 0x3F) | 0x80);
  return made;
}

}  // namespace tilth::testing
