// What a removal takes with it, erased piece by piece, so that a farm of a million plants costs no
// memory and nobody else notices.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/ids.h"

namespace tilth {

class MutableRows;

// One thing that is left to do. Rows whose parent is gone are erased as they lie, with all lists of
// that parent; those that stand in lists which live on are taken out of them. What leads to others
// goes after them, so that whoever begins again finds them.
struct SweepStep {
  enum class What : std::uint8_t {
    kFieldsOfFarm,
    kTasksOfFarm,
    kTemplatesOfFarm,
    kRulesOfFarm,  // of recurring tasks
    kCropsOfFarm,
    kUserCropsOfFarm,
    kExpensesOfFarm,
    kOverheadsOfFarm,
    kPriceReportsOfFarm,
    kCropsOfField,
    kBlocksOfField,
    kIrrigationsOfField,
    kSoilSamplesOfField,
    kExpensesOfField,
    kBlocksOfCrop,
    kSalesOfCrop,
    kExpensesOfCrop,
    kPlantsOfBlock,
    kFertigationsOfBlock,
    kLeafSamplesOfBlock,
    // Of the finance projection. Bookings are taken out of their farm's sums, too.
    kBookings,
    kBookedFieldsOfFarm,
    kBookedCropsOfField,
    kSumsOfFarm,
    kOne,    // of `table`, alone, to be taken out of its lists
    kLists,  // of `table` under `of`
  };
  What what;
  Uuid of;
  Uuid under = {};         // whose list lives on: the field of kBlocksOfCrop, the farm of expenses
  std::string table = {};  // of kOne and kLists
};

// The steps that are left of one event. The first ones stay in the store until all is done, and are
// begun again after a crash: what is gone already is not found again.
class Sweep {
 public:
  explicit Sweep(std::vector<SweepStep> steps);

  // Erases up to about `budget` rows and keys. Whether nothing is left.
  bool advance(MutableRows& rows, std::size_t budget);

  // What advance() began with, to be kept until it is done.
  static std::string encode(const std::vector<SweepStep>& steps);
  static std::vector<SweepStep> decode(std::string_view bytes);

 private:
  struct Step {
    SweepStep step;
    std::string after = {};  // the last key that it dealt with
  };

  void erase_children(MutableRows& rows, Step step, std::size_t& budget);
  void erase_lists(MutableRows& rows, Step step, std::size_t& budget);

  std::vector<Step> left_;  // the last one is next
};

}  // namespace tilth
