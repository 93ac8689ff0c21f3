// What clients ask of the nodes, at random: each farmer waits for the result of one request, or of
// several that it sends together, and asks again when it is not known.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/log/streams.h"
#include "projections/finance/sale.h"
#include "projections/land/block.h"
#include "projections/land/crop.h"
#include "projections/land/farm.h"
#include "projections/land/plant.h"
#include "projections/library/admin_crop.h"
#include "projections/library/user_crop.h"
#include "projections/work/task.h"
#include "projections/work/task_template.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// What all of them know.
using Library = std::vector<AdminCropId>;

// What the Idempotency-Keys of one of an owner's farmers begin with. Owners have the same ones, as
// the clients of all number theirs alike.
std::string keys_of(std::uint64_t farmer);

// Several farmers may work on one owner's land. One whose owner is the stream of the reference data
// is an operator, who describes the crops of the library.
class Farmer {
 public:
  // `keys`: what its Idempotency-Keys begin with, which it numbers; null: it sends none. Farmers of
  // one owner have keys of their own.
  Farmer(World& world, std::vector<std::unique_ptr<SimulatedNode>>& nodes, Ledger& ledger,
         Library& library, std::string owner, int requests, std::optional<std::string> keys,
         World::Micros longest_pause = std::chrono::milliseconds(80));

  bool is_done() const { return requests_ == 0; }

 private:
  bool is_operator() const { return owner_ == kReferenceStream; }

  // What the results so far have shown.
  struct Known {
    std::vector<FarmId> farms;
    std::vector<std::pair<FarmId, FieldId>> fields;
    std::vector<std::pair<CropId, FieldPath>> crops;
    std::vector<BlockPath> blocks;
    std::vector<PlantPath> plants;
    std::vector<EntryPath<Sale>> sales;
    std::vector<TaskId> tasks;
    std::vector<TaskTemplateId> templates;
    std::vector<UserCropId> shortlist;
    std::optional<std::string> tag;  // of the farm that was shown last
    std::optional<FarmId> tagged;
  };

  void ask_next();
  World::Micros until_a_full_second(const SimulatedNode& node);
  void ask_one(SimulatedNode& node);
  // A request, and the name of the farm that it asks for, if it does.
  struct Wish {
    CommandRequest request;
    std::optional<std::string> new_farm = {};
  };

  void ask(const Wish& wish, int times_left, SimulatedNode& node);
  bool repeats(Wish wish);
  SimulatedNode& any_node() { return *nodes_[world_.below(nodes_.size())]; }
  void read(const Position& since, SimulatedNode& node);
  CommandRequest choose();
  CommandRequest about_a_new_block();
  CommandRequest about_a_new_farm();
  CommandRequest without_one();
  CommandRequest about_a_farm();
  CommandRequest about_a_task();
  CommandRequest about_a_rule();
  CommandRequest about_a_template();
  CommandRequest about_money();
  CommandRequest about_a_cost();
  CommandRequest about_what_grows();
  CommandRequest about_a_shortlist();
  CommandRequest about_the_library();
  Timestamp soon();
  void learn(const CommandResult& result);
  void go_on();
  std::string name() { return std::string("Name ") + static_cast<char>('A' + world_.below(4)); }

  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[world_.below(all.size())];
  }

  World& world_;
  std::vector<std::unique_ptr<SimulatedNode>>& nodes_;
  Ledger& ledger_;
  Library& library_;
  const std::string owner_;
  int requests_;
  int under_way_ = 0;
  const std::optional<std::string> keys_;
  int keys_used_ = 0;
  const World::Micros longest_pause_;
  const bool builds_up_;                 // first of all, all that other rows go with
  const bool hurries_;                   // asks for much at once, about few names
  const bool plans_;                     // much of it is due soon
  std::optional<Position> shown_;        // by the last result
  std::optional<std::string> new_farm_;  // of the request that was chosen last
  Known known_;
};

}  // namespace tilth::testing
