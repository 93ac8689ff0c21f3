// The members of events that name a person, and how they are taken out of an event's JSON to be
// sealed. All others – amounts, dates, kinds, ids, links – name no person and are stored as they
// are.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// The members of that type of event that name a person, as dotted paths: "schedule.makes.title".
// Arrays have no name of their own. Empty: there are none, or the type is not in the catalogue.
std::vector<std::string> personal_members(std::string_view type);

// Whose personal members a record has: the owner of its stream, or the user that an event of users
// and keys is about. Empty: no user's.
std::string owner_of(std::string_view stream, std::string_view json);

// An event's JSON in two parts. In `open`, {"sealed":true} stands for each value in `personal`.
struct PartedJson {
  std::string open;
  std::string personal;  // the values in order, separated by commas
};

// Null: there is nothing to take, since every personal member is null or absent.
std::optional<PartedJson> take_personal(std::string_view type, std::string_view json);

// The JSON that was taken apart. kDamaged: the parts do not belong together.
Result<std::string> put_personal(std::string_view type, const PartedJson& parted);

// The same after the personal part was erased: null takes the place of each value, or "[erased]"
// where there must be one. The event can be decoded, as if it had never named anybody.
std::string put_erased(std::string_view type, std::string_view open);

}  // namespace tilth
