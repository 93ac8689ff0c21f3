// An event as a JSON object in CloudEvents 1.0 form: for the export, and for owners who read their
// own history.

#pragma once

#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth {

// For operators: a line, with the event's position and whether it counts.
void append_event_line(const LoggedRecord& logged, bool accepted, std::string& lines);

// The record of such a line; its position is ignored. kInvalid: it is not an event of ours; the
// message says why, as the end of a sentence.
Result<Record> read_event_line(std::string_view line);

// For its owner: with `position`, for resuming after it (position_token). Without a line feed.
std::string own_event(const LoggedRecord& logged);

// Whether `text` matches `pattern`, where * matches any run of characters. Linear in both.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace tilth
