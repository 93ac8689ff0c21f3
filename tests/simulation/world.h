// A small world with its own time and chance, in which one seed always has the same course.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/values/ids.h"
#include "events/values/time.h"
#include "tests/simulation/planted_bug.h"

namespace tilth::testing {

class World {
 public:
  using Steady = std::chrono::steady_clock;
  using Micros = std::chrono::microseconds;

  explicit World(std::uint64_t seed, PlantedBug bug = PlantedBug::kNone)
      : chance_(seed * 0x9E3779B97F4A7C15U + 1), bug_(bug) {}

  Steady::time_point now() const { return now_; }
  Timestamp wall_clock() const;
  // Moves the wall clock alone.
  void pass(std::chrono::milliseconds time) { passed_ += time; }

  // Happens once `delay` has passed. What is due at the same time happens in the order of the
  // calls.
  void after(Micros delay, std::function<void()> what);
  // The next thing happens. False: nothing is left.
  bool step();
  std::uint64_t steps() const { return steps_; }
  // Lets things happen until that is so. If it never is, within that many steps of the world, there
  // are `otherwise`, which is a violation. Ends at any violation.
  template <class Done>
  void run_until(const Done& done, std::uint64_t most_steps, const std::string& otherwise) {
    while (violations_.empty() && !done()) {
      if (!step() || steps_ > most_steps) return violated("There are " + otherwise + ".");
    }
  }

  // Below `limit`, which is not 0.
  std::uint64_t below(std::uint64_t limit) { return chance_() % limit; }
  Micros between(Micros least, Micros most);
  // Whether something happens that does so once in `times`.
  bool once_in(std::uint64_t times) { return below(times) == 0; }
  // The same for faults, of which there are none in a calm world.
  bool fails_once_in(std::uint64_t times) { return once_in(times) && !calm_; }
  void become_calm() { calm_ = true; }
  bool calm() const { return calm_; }
  Uuid uuid();

  bool has(PlantedBug bug) const { return bug_ == bug; }

  // Prints what happens, if the environment has TILTH_TRACE.
  void note(std::string_view what) const;

  // Something that must never be so.
  void violated(std::string what) { violations_.push_back(std::move(what)); }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct ToCome {
    Steady::time_point at;
    std::uint64_t number;
    std::function<void()> what;
  };
  static bool is_later(const ToCome& one, const ToCome& other);

  std::mt19937_64 chance_;
  const PlantedBug bug_;
  Steady::time_point now_{};
  std::chrono::milliseconds passed_{0};
  std::uint64_t arranged_ = 0, steps_ = 0;
  std::vector<ToCome> to_come_;  // a heap, by is_later()
  bool calm_ = false;
  std::vector<std::string> violations_;
};

}  // namespace tilth::testing
