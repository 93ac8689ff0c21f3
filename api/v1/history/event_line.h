// An event as a JSON object, the way CloudEvents 1.0 has it: what is exported, and what an owner
// reads of their own history.

#pragma once

#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// For operators: a line, with where it lies and whether it counts.
void append_event_line(const LoggedRecord& logged, bool accepted, std::string& lines);

// The record that such a line is of; where it lay is not asked. kInvalid: it is no event of ours;
// the message says why, as the end of a sentence.
Result<Record> read_event_line(std::string_view line);

// For its owner: with `position`, from which to go on (position_token). Without a line feed.
std::string own_event(const LoggedRecord& logged);

// Whether `text` is as `pattern` says, where * stands for any run of characters. Linear in both.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace tilth
