// What a request names and says, by chance.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "command/decision.h"
#include "command/record.h"
#include "events/values/decimal.h"
#include "events/values/places.h"
#include "events/values/time.h"
#include "tests/simulation/known_records.h"
#include "tests/simulation/plain_request.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// A request, and what it asks for, if that is said again.
struct Wish {
  CommandRequest request;
  std::optional<PlainRequest> asked = {};
};

// What the farmers of a world are after, besides all else.
enum class Concern : std::uint8_t {
  kNone,
  kTrade,   // they sell and report much of the same, mostly in one country
  kClocks,  // they have rules on farms that change their time zones
  kGrowth,  // their crops are of the library, and they sample the soil
  kEvents,  // they have events sent to them
  kRules,   // they have rules that make more tasks than a day may have
};

// Chooses for the farmers of one owner.
class Chooser {
 public:
  // `known`: of all owners.
  Chooser(World& world, KnownByOwner& known, const std::string& owner,
          Concern concern = Concern::kNone);

  World& world() const { return world_; }
  bool once_in(std::uint64_t times) const { return world_.once_in(times); }
  const KnownRecords& known() const { return own_; }
  const KnownRecords& reference() const;
  Concern concern() const { return concern_; }
  bool trades() const { return concern_ == Concern::kTrade; }
  bool grows() const { return concern_ == Concern::kGrowth; }

  // One that is known. Now and then, if the farmer is careless, another owner's, one that there
  // never was, or one in a place where it is not; and if none is known.
  template <class T>
  T one_of(std::vector<T> KnownRecords::*kind) const {
    const auto& all = own_.*kind;
    if (all.empty()) return {};
    if (is_careless_ && once_in(8)) return wrong_one(kind);
    const auto& one = all[world_.below(all.size())];
    return is_careless_ && once_in(5) ? led_astray(one) : one;
  }
  // One of the reference data, or one that there never was.
  template <class T>
  T one_of_all(std::vector<T> KnownRecords::*kind) const {
    const auto& all = reference().*kind;
    const bool invents = is_careless_ && once_in(12);
    return all.empty() || invents ? T{} : all[world_.below(all.size())];
  }

  // Few, so that they meet.
  std::string name() const {
    return std::string("Name ") + static_cast<char>('A' + world_.below(4));
  }
  // Of what grows or is priced.
  std::string crop_name() const { return trades() && !once_in(4) ? "Name A" : name(); }
  template <class T>
  T any(std::initializer_list<T> values) const {
    return *(values.begin() + world_.below(values.size()));
  }
  Currency currency() const { return Currency::stored(any({"EUR", "JPY", "USD"})); }
  Decimal number() const { return Decimal(static_cast<std::int64_t>(1 + world_.below(9))); }
  Timestamp now() const { return world_.wall_clock(); }
  // A whole second that comes while requests are under way.
  Timestamp soon() const;
  Date today() const { return {std::chrono::floor<std::chrono::days>(now().at)}; }
  Date day(int from_today) const { return {today().day + std::chrono::days(from_today)}; }

  // Sets a member of an amendment in about every third one.
  template <class T, class Choose>
  void maybe(Patch<T>& member, Choose choose) const {
    if (once_in(3)) member.to = choose();
  }
  // The same of one that may be null.
  template <class T, class Choose>
  void maybe_null(Patch<std::optional<T>>& member, Choose choose) const {
    if (!once_in(3)) return;
    member.to.emplace();
    if (!once_in(3)) *member.to = choose();
  }

  // With If-Match, now and then: as the record was shown last, or before.
  Wish conditional(Wish wish, const Uuid& id) const;

 private:
  template <class T>
  T wrong_one(std::vector<T> KnownRecords::*kind) const {
    for (const auto& [owner, records] : known_) {
      const auto& all = records.*kind;
      if (&records != &own_ && !all.empty()) return all[world_.below(all.size())];
    }
    return {};
  }

  FarmId other_farm(const FarmId& than) const;

  // As a path that is put together from two.
  template <class T>
  T led_astray(T path) const {
    if constexpr (std::is_same_v<T, FieldPath>) {
      path.farm_id = other_farm(path.farm_id);
    } else if constexpr (std::is_same_v<T, KnownRecords::GrownCrop>) {
      if (!own_.fields.empty()) path.field = own_.fields[world_.below(own_.fields.size())];
    } else if constexpr (std::is_same_v<T, BlockPath>) {
      if (once_in(2)) {
        path.farm_id = other_farm(path.farm_id);
      } else if (!own_.fields.empty()) {
        path.field_id = own_.fields[world_.below(own_.fields.size())].field_id;
      }
    } else if constexpr (std::is_same_v<T, PlantPath>) {
      path.block = led_astray(path.block);
    } else if constexpr (requires { path.parent; }) {
      path.parent = led_astray(path.parent);
    }
    return path;
  }

  World& world_;
  KnownByOwner& known_;
  const KnownRecords& own_;
  const bool is_careless_;
  const Concern concern_;
};

template <class Command>
Wish wish_for(Command command) {
  Wish wish;
  wish.asked = said_plainly(command);
  wish.request.decide = deciding(std::move(command));
  return wish;
}

// A change of a Row that is there: that one is shown if it changes nothing.
template <class Row, class Command>
Wish wish_to_change(Command command) {
  const auto id = command.at.row_id();
  auto wish = wish_for(std::move(command));
  wish.request.shown_table = Row::kTable;
  wish.request.shown_id = id;
  return wish;
}

// The same of one that If-Match may stand for.
template <class Row, class Command>
Wish wish_to_amend(const Chooser& chooser, Command command) {
  const auto id = command.at.row_id();
  return chooser.conditional(wish_to_change<Row>(std::move(command)), id);
}
template <class Row>
Wish wish_to_remove(const Chooser& chooser, const typename Row::Path& at) {
  return chooser.conditional(wish_for(Delete<Row>{at}), at.row_id());
}

// The removal of an entry of one of several kinds.
class RemovalOfOne {
 public:
  explicit RemovalOfOne(const Chooser& chooser) : chooser_(chooser) {}

  // A kind that may be the one, if any of it is known.
  template <class Row>
  void offer(std::vector<EntryPath<Row>> KnownRecords::*kind) {
    if ((chooser_.known().*kind).empty()) return;
    wishes_.push_back(
        [this, kind] { return wish_to_remove<Row>(chooser_, chooser_.one_of(kind)); });
  }

  // Null: none is known.
  std::optional<Wish> wish() const {
    if (wishes_.empty()) return std::nullopt;
    return wishes_[chooser_.world().below(wishes_.size())]();
  }

 private:
  const Chooser& chooser_;
  std::vector<std::function<Wish()>> wishes_;
};

}  // namespace tilth::testing
