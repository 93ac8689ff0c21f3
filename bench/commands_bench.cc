// Measures the cost of commands without HTTP: each is decided, appended, synced, and folded by the
// registry, finance and the market.
//
//   commands_bench DIRECTORY IN_FLIGHT COMMANDS [CELLS [all]]
//
// IN_FLIGHT owners register fields; each sends the next command as soon as its last one completes.
// With `all`, each cell reads all records of the log, and not only those that concern it.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/history.h"
#include "command/land/farm.h"
#include "command/loop/cells.h"
#include "command/loop/command_loop.h"
#include "command/record.h"
#include "command/work/due_rules.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/rocksdb/rocks_store.h"
#include "infra/system/clock.h"
#include "infra/system/random.h"
#include "projections/fold/cell_layout.h"
#include "projections/fold/projection.h"
#include "projections/land/field.h"

namespace {

using namespace tilth;
using namespace std::chrono_literals;
using bench::must;

// A projection and its thread, which folds records and decides commands.
class Turning {
 public:
  Turning(std::unique_ptr<EventLog> log, const std::filesystem::path& views,
          const RocksMemory& memory, const Clock& clock, IdSource& ids, Projection projection)
      : log_(std::move(log)),
        store_(
            must(RocksStore::open(views, projection.title(), 1, projection.fingerprint, memory))),
        loop_(*log_, *store_, std::move(projection),
              {.node = "tilth://bench",
               .now = [&clock] { return clock.now(); },
               .new_id = [&clock, &ids] { return ids.uuid(clock.now()); },
               .due = {decide_due, may_bring_forward}}) {
    must(loop_.open());
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) must(loop_.turn(50ms));
    });
  }

  CommandLoop& loop() { return loop_; }

 private:
  const std::unique_ptr<EventLog> log_;
  const std::unique_ptr<RocksStore> store_;
  CommandLoop loop_;
  std::jthread thread_;
};

class Owners {
 public:
  Owners(Cells& cells, int owners, int commands)
      : cells_(cells), left_(commands), farms_(static_cast<std::size_t>(owners)) {}

  void register_farms() {
    for (std::size_t owner = 0; owner < farms_.size(); ++owner) {
      carry_out(owner, deciding(Create<Farm>{{}, {.name = "Home", .total_area = Decimal(40)}}),
                [this, owner](const Event& event) {
                  farms_[owner].farm_id = event.get<FarmRegistered>().id;
                  done_.release();
                });
    }
    wait();
  }
  void register_fields() {
    for (std::size_t owner = 0; owner < farms_.size(); ++owner) next(owner);
    wait();
  }

 private:
  void wait() {
    for (std::size_t owner = 0; owner < farms_.size(); ++owner) done_.acquire();
  }
  void next(std::size_t owner) {
    const auto number = left_--;
    if (number <= 0) return done_.release();
    Create<Field> command{farms_[owner],
                          {.name = "North " + std::to_string(number), .area = Decimal(12)}};
    command.details.soil_type = "loam";
    command.details.notes = "Drains well in spring.";
    carry_out(owner, deciding(std::move(command)), [this, owner](const Event&) { next(owner); });
  }
  template <class Then>
  void carry_out(std::size_t owner, Decide decide, Then then) {
    cells_.carry_out({.stream = "user_AAAAAAAAAAAAAAAAA" + std::to_string(1'000 + owner),
                      .actor = "key_AAAAAAAAAAAAAAAAAAAAA",
                      .request_id = "01a1fd7b-5b6b-739f-bf1a-2f54453353b8",
                      .decide = std::move(decide)},
                     [then](const Result<CommandResult>& outcome) {
                       if (!outcome) throw std::runtime_error(outcome.error().message);
                       then(*outcome->event);
                     });
  }

  Cells& cells_;
  std::atomic<int> left_;
  std::vector<FarmPath> farms_;
  std::counting_semaphore<> done_{0};
};

}  // namespace

int main(int count, char** arguments) try {
  if (count < 4 || count > 6) throw std::runtime_error("DIRECTORY IN_FLIGHT COMMANDS CELLS all");
  const std::filesystem::path directory = arguments[1];
  const int in_flight = std::atoi(arguments[2]), commands = std::atoi(arguments[3]);
  const auto log = must(EmbeddedEventLog::open(directory / "log"));
  const RocksMemory memory(32 << 20, 24 << 20);
  const SystemClock clock;
  IdSource ids{fill_random};
  const CellLayout layout(*log, count > 4 ? std::atoi(arguments[4]) : 1);
  const bool read_all = count > 5;
  std::vector<std::unique_ptr<Turning>> all;
  std::vector<CommandLoop*> loops;
  const auto open = [&](const Projection& which) {
    const auto wanted = read_all ? EmbeddedEventLog::Wanted() : which.follows;
    all.push_back(std::make_unique<Turning>(log->only(wanted), directory / "views", memory, clock,
                                            ids, which));
    return &all.back()->loop();
  };
  for (int cell = 0; cell < layout.cells(); ++cell) {
    loops.push_back(open(layout.part_of(registry(), cell)));
    open(layout.part_of(finance(), cell));
  }
  open(market()), open(access());
  Cells cells(layout, loops);
  Owners owners(cells, in_flight, commands);
  owners.register_farms();
  const auto begun = std::chrono::steady_clock::now();
  owners.register_fields();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::printf("%d in flight: %.0f commands/s\n", in_flight, commands / took.count());
} catch (const std::exception& error) {
  std::fprintf(stderr, "commands_bench: %s\n", error.what());
  return 1;
}
