#include <algorithm>
#include <cstdint>
#include <iostream>
#include <utility>

#include <unistd.h>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/export_file.h"
#include "app/cli/commands/export_filters.h"
#include "app/cli/commands/exported_line.h"
#include "app/cli/commands/import_events.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"
#include "app/cli/engine/whole_number.h"
#include "events/access/audit.h"
#include "events/log/streams.h"
#include "events/values/ascii.h"
#include "events/values/time.h"

namespace tilth::cli {
namespace {

// The value of a flag that takes whole numbers.
std::int64_t number(std::string_view text) { return whole_number(text).value_or(0); }

// What a partition of the log held when the status was read.
struct Ends {
  std::int64_t partition;
  std::int64_t first;
  std::int64_t end;
};

Result<std::vector<Ends>> log_ends(OperatorApi& api) {
  const auto answer = api.get("status");
  if (!answer) return answer.error();
  const auto* data = answer->find("data");
  const auto* log = data == nullptr ? nullptr : data->find("log");
  const auto* partitions = log == nullptr ? nullptr : log->find("partitions");
  if (partitions == nullptr) {
    return Error{ErrorCode::kUnavailable, "The service does not report what its log contains."};
  }
  std::vector<Ends> ends;
  for (const auto& [index, row] : partitions->children) {
    ends.push_back({number_in(row, "partition"), number_in(row, "first"), number_in(row, "end")});
  }
  return ends;
}

// "events?type=...&owner=...": the flags of `flags` that were given.
std::string events_path(const Arguments& arguments, const std::vector<std::string>& flags) {
  return with_flags("events", arguments, flags);
}

// The arguments with the id of the user whose email is given as --owner.
Result<Arguments> with_owner(OperatorApi& api, const Arguments& arguments) {
  const auto owner = arguments.find("--owner");
  if (!owner) return arguments;
  auto id = find_user(api, *owner);
  if (!id) return id.error();
  Arguments found = arguments;
  found.put("--owner", std::move(*id));
  return found;
}

std::string with(std::string path, const std::string& name, std::int64_t value) {
  return with_parameter(std::move(path), name, std::to_string(value));
}

// For when nothing was found. kNotFound if no user has the id given as --owner, and none had it.
Status check_owner(OperatorApi& api, const Arguments& arguments) {
  const auto owner = arguments.find("--owner");
  if (!owner || *owner == kAccessStream || *owner == kAuditStream || *owner == kReferenceStream)
    return kDone;
  const auto user = api.get("users/" + url_escaped(*owner));
  if (user) return kDone;
  if (user.error().code != ErrorCode::kNotFound) return user.error();
  bool any = false;  // the history of a user who was erased stays
  const auto read = api.read_lines(
      {with(events_path(arguments, {"--owner"}), "limit", 1)},
      [&](std::string_view) { return !(any = true); }, [] {});
  if (any) return kDone;
  if (!read) return read;
  return Error{ErrorCode::kNotFound, "There is no user " + *owner + "."};
}

// The streams of an export. Of a file that is there, each partition continues where it ends in it.
Result<std::vector<std::string>> export_paths(const Arguments& arguments,
                                              const std::vector<Ends>& ends,
                                              const ExportFile& file) {
  const auto filters = events_path(arguments, {"--owner", "--type", "--since", "--until"});
  const auto chosen = arguments.find("--partition");
  const auto to = arguments.find("--to");
  const auto& last = file.last();
  if (!last)
    return std::vector{events_path(
        arguments, {"--owner", "--type", "--since", "--until", "--partition", "--from", "--to"})};
  if (chosen && number(*chosen) != last->partition) {
    return Error{ErrorCode::kConflict, "The file ends within partition " +
                                           std::to_string(last->partition) + ", not " + *chosen +
                                           "."};
  }
  std::vector<std::string> paths;
  for (const auto& [partition, first, end] : ends) {
    if (chosen && partition != last->partition) continue;
    const auto reached = file.reached().find(static_cast<int>(partition));
    const auto next = std::max(reached == file.reached().end() ? 0 : reached->second + 1,
                               number(arguments.find("--from").value_or("0")));
    if (to && next >= number(*to)) continue;
    const auto path = with(with(filters, "partition", partition), "from", next);
    paths.push_back(to ? with(path, "to", number(*to)) : path);
  }
  return paths;
}

// The progress of an export: the position of its last event in the whole log.
class ExportProgress {
 public:
  explicit ExportProgress(const std::vector<Ends>& ends) : ends_(ends) {
    for (const auto& partition : ends_) total_ += partition.end - partition.first;
  }

  void saw(std::string_view line) {
    if (!on_terminal_ || ++seen_ % kEvery != 0) return;
    const auto event = parse_json(line);
    if (!event) return;
    std::int64_t reached = 0;
    for (const auto& partition : ends_) {
      if (partition.partition > number_in(*event, "partition")) break;
      const bool here = partition.partition == number_in(*event, "partition");
      reached += (here ? number_in(*event, "offset") : partition.end) - partition.first;
    }
    progress_.reach(reached, total_, std::to_string(seen_) + " events");
  }

 private:
  static constexpr std::int64_t kEvery = 256;  // parsing each line would cost more than exporting
  const bool on_terminal_ = ::isatty(STDERR_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 0;
  std::vector<Ends> ends_;
  std::int64_t total_ = 0;
  std::int64_t seen_ = 0;
  Progress progress_{"Exporting"};
};

// Why the service ended its response after `last`, if its next event cannot be read: a response
// that has begun cannot say it.
Error why_broken_off(OperatorApi& api, const Arguments& arguments, const std::string& last,
                     const Error& broken_off) {
  const auto event = parse_json(last);
  if (!event) return broken_off;
  const auto next =
      with(events_path(arguments, {"--owner"}), "partition", number_in(*event, "partition"));
  const auto asked = with(with(next, "from", number_in(*event, "offset") + 1), "limit", 1);
  const auto read = api.read_lines(
      {asked}, [](std::string_view) { return true; }, [] {});
  return read ? broken_off : read.error();
}

ExitStatus export_to(ExportFile& file, const ExportFilters& filters, OperatorApi& api,
                     const Arguments& arguments, const std::vector<Ends>& ends) {
  const auto paths = export_paths(arguments, ends, file);
  if (!paths) return failed(paths.error().message);
  const auto limit = arguments.find("--limit");
  const bool with_secrets = arguments.has("--with-secrets");
  ExportProgress progress(ends);
  Status written = kDone;
  bool is_begun = false;
  // A request that the service refuses leaves the file as it is.
  const auto begin = [&]() -> Status {
    if (std::exchange(is_begun, true)) return kDone;
    if (const auto cut = file.cut(); !cut) return cut;
    return filters.keep();
  };
  std::string last;
  for (const auto& path : *paths) {
    const auto left = limit ? number(*limit) - file.lines() : 0;
    if (limit && left <= 0) break;
    const auto read = api.read_lines(
        {limit ? with(path, "limit", left) : path},
        [&](std::string_view line) {
          progress.saw(line);
          last = line;
          written = begin();
          if (!written) return false;
          written = file.write(with_secrets ? std::string(line) : without_password_hash(line));
          return static_cast<bool>(written);
        },
        [] {});
    if (!written) break;
    if (!read) {
      // Keep what has arrived, so that --resume continues from there.
      if (const auto kept = file.finish(); !kept) return failed(kept.error().message);
      return failed(why_broken_off(api, arguments, last, read.error()).message);
    }
  }
  if (written && file.lines() == 0) {
    if (const auto known = check_owner(api, arguments); !known) {
      return failed(known.error().message);
    }
  }
  if (written) written = begin();
  if (written) written = file.finish();
  if (!written && written.error().code != ErrorCode::kNotFound) {
    return failed(written.error().message);
  }
  return done();
}

// Whether two lines are of one event. Erasing a person changes the data of their events.
bool is_same_event(std::string_view line, std::string_view other) {
  const auto one = parse_json(line), another = parse_json(other);
  if (!one || !another) return false;
  for (const auto* member : {"id", "subject", "streamversion"}) {
    if (shown(one->find(member)) != shown(another->find(member))) return false;
  }
  return true;
}

// kConflict unless the log has the file's last event, which there is, at that position.
Status check_same_log(OperatorApi& api, const ExportFile& file, const std::string& name) {
  const auto& last = file.last();
  const auto partition = with("events", "partition", last->partition);
  std::string there;
  const auto read = api.read_lines(
      {with(with(partition, "from", last->offset), "to", last->offset + 1)},
      [&](std::string_view line) { return there = line, true; }, [] {});
  if (!read || is_same_event(there, file.last_line())) return read;
  return Error{
      ErrorCode::kConflict,
      name + " ends with an event that this log does not hold there, so it is of another."};
}

ExitStatus export_events(const Arguments& given) {
  const auto output = given.find("--output").value_or("-");
  if (given.has("--resume") && output == "-") {
    return wrong_usage("--resume needs --output FILE, the file to continue.");
  }
  if ((given.has("--from") || given.has("--to")) && !given.has("--partition")) {
    return wrong_usage("--from and --to are offsets of one partition and need --partition.");
  }
  auto api = OperatorApi::connect(given);
  if (!api) return failed(api.error().message);
  const auto found = with_owner(*api, given);
  if (!found) return failed(found.error().message);
  const auto& arguments = *found;
  const auto ends = log_ends(*api);
  if (!ends) return failed(ends.error().message);
  auto file = ExportFile::open(output, arguments.has("--resume"));
  if (!file) return failed(file.error().message);
  const ExportFilters filters(output, arguments);
  if (file->last()) {
    if (const auto same = filters.are_those_of_file(); !same) return failed(same.error().message);
    if (const auto same = check_same_log(*api, *file, output); !same) {
      return failed(same.error().message);
    }
  }
  return export_to(*file, filters, *api, arguments, *ends);
}

// Prints an event as a line: for people on a terminal, else as JSON.
void show_line(std::string_view line, bool for_people) {
  const auto event = for_people ? parse_json(line) : Error{ErrorCode::kInvalid, {}};
  if (event) {
    std::cout << shown(event->find("time")) << "  " << shown(event->find("type")) << "  "
              << shown(event->find("subject")) << "  " << shown(event->find("id")) << std::endl;
  } else {
    std::cout << without_password_hash(line) << std::endl;
  }
}

bool for_people(const Arguments& arguments) {
  return !arguments.has("--json") && ::isatty(STDOUT_FILENO) == 1;
}

ExitStatus tail_events(const Arguments& given) {
  auto api = OperatorApi::connect(given);
  if (!api) return failed(api.error().message);
  const auto found = with_owner(*api, given);
  if (!found) return failed(found.error().message);
  const auto& arguments = *found;
  const auto ends = log_ends(*api);
  if (!ends) return failed(ends.error().message);
  const auto filters = events_path(arguments, {"--owner", "--type", "--since"});
  const auto chosen = arguments.find("--partition");
  std::vector<std::string> paths;
  for (const auto& partition : *ends) {
    if (chosen && number(*chosen) != partition.partition) continue;
    auto path = with(filters, "partition", partition.partition) + "&follow=true";
    paths.push_back(arguments.has("--since") ? path : with(path, "from", partition.end));
  }
  if (paths.empty()) return failed("The log has no such partition.");
  const auto limit = number(arguments.find("--limit").value_or("0"));
  const bool readable = for_people(arguments);
  std::int64_t events = 0;
  const auto wants_more = [&] { return (limit == 0 || events < limit) && std::cout.good(); };
  const auto read = api->read_lines(
      paths,
      [&](std::string_view line) {
        show_line(line, readable);
        ++events;
        return wants_more();
      },
      [] {});
  if (!read) return failed(read.error().message);
  return wants_more() ? failed("The service has ended the stream, as it does when it stops.")
                      : done();
}

void show_whole(const std::string& line, bool readable) {
  const auto event = readable ? parse_json(line) : Error{ErrorCode::kInvalid, {}};
  if (event) {
    print_record(std::cout, *event);
  } else {
    std::cout << line << '\n';
  }
}

ExitStatus show_one(OperatorApi& api, const Arguments& arguments) {
  const auto id = to_lower(arguments.at("ID"));
  Progress progress("Looking through the history");
  std::string found;
  // With a limit, the service does not look whether all that follows the event is there.
  const auto path = with(events_path(arguments, {"--owner"}), "limit", INT64_MAX);
  const auto read = api.read_lines(
      {path},
      [&](std::string_view line) {
        if (line.find(id) == line.npos) return true;
        const auto event = parse_json(line);
        const auto* event_id = event ? event->find("id") : nullptr;
        if (event_id != nullptr && event_id->text == id) found = line;
        return found.empty();
      },
      [&] { progress.wait(); });
  if (!read) return failed(read.error().message);
  if (found.empty()) return failed("No event has the id " + id + ".");
  show_whole(without_password_hash(found), for_people(arguments));
  return done();
}

// Everything that had happened to one owner by then.
ExitStatus show_as_of(OperatorApi& api, const Arguments& arguments) {
  auto path = events_path(arguments, {"--owner"});
  if (const auto at = arguments.find("--as-of")) {
    auto after = *Timestamp::parse(*at);
    after.at += std::chrono::milliseconds(1);
    // The last instant there is has none after it, and no event either.
    if (Timestamp::parse(after.text())) path = with_parameter(path, "until", after.text());
  }
  const bool readable = for_people(arguments);
  bool any = false;
  auto read = api.read_lines(
      {path},
      [&](std::string_view line) {
        any = true;
        show_line(line, readable);
        return std::cout.good();
      },
      [] {});
  if (read && !any) read = check_owner(api, arguments);
  return read ? done() : failed(read.error().message);
}

ExitStatus show_events(const Arguments& arguments) {
  const bool one = arguments.has("ID");
  if (one && arguments.has("--as-of")) return wrong_usage("--as-of goes with --owner, without ID.");
  if (!one && !arguments.has("--owner")) return wrong_usage("Name an event's ID, or --owner.");
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto found = with_owner(*api, arguments);
  if (!found) return failed(found.error().message);
  return one ? show_one(*api, *found) : show_as_of(*api, *found);
}

}  // namespace

std::vector<Command> event_commands() {
  const Flag owner{"--owner", "U", "only the stream of this owner: a user's id or email"};
  const Flag type{"--type", "T", "only events of this type; * is any run of characters"};
  const Flag since{"--since", "T", "only events from this time on", false, instants()};
  const Flag partition{"--partition", "P", "only this partition", false, whole_numbers(0)};
  const Flag limit{"--limit", "N", "so many events at most", false, whole_numbers(1)};
  return {
      {"events export",
       "Writes the history as JSON lines",
       "tilth events export --output history.jsonl --resume",
       {},
       service_flags(
           {owner,
            type,
            since,
            {"--until", "T", "only events before this time", false, instants()},
            partition,
            {"--from", "O", "from this offset of --partition on", false, whole_numbers(0)},
            {"--to", "O", "before this offset of --partition", false, whole_numbers(0)},
            limit,
            {"--output", "FILE", "where to; - is stdout, the default"},
            {"--resume", "", "continue after the last whole line of FILE, with the same filters"},
            {"--with-secrets", "", "with the hashes of passwords, for a move to another service"}}),
       export_events},
      {"events tail",
       "Shows events as they come, on a terminal in short; with --since also those since then",
       "tilth events tail --type 'tilth.task.*'",
       {},
       service_flags({owner, type, since, partition, limit}),
       tail_events},
      {"events import",
       "Makes exported JSON lines the history of an empty service, started with --no-library",
       "tilth events import history.jsonl",
       {{"FILE", "the exported lines; - is stdin"}},
       service_flags({}),
       import_events},
      {"events show",
       "Shows one event, or what one owner's history held at a time; JSON lines unless on a "
       "terminal",
       "tilth events show 019a5c9e-31c8-7b6d-9f2e-6f1d3a4b5c6d",
       {{"ID", "the event's id", {}, true}},
       service_flags(
           {owner, {"--as-of", "TIME", "up to and including this time", false, instants()}}),
       show_events},
  };
}

}  // namespace tilth::cli
