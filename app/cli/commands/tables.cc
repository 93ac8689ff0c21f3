#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "api/tables/stream_tables.h"
#include "api/tables/table_catalogue.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/table_files.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/url_path.h"
#include "app/cli/engine/whole_number.h"
#include "events/access/audit.h"
#include "events/log/streams.h"
#include "infra/bulk/row_spill_file.h"
#include "projections/rows/unreadable_rows.h"

namespace tilth::cli {
namespace {

// The time by the service's clock, which may be a test clock.
Result<Timestamp> service_now(OperatorApi& api) {
  const auto clock = api.get("clock");
  if (!clock && clock.error().code != ErrorCode::kNotFound) return clock.error();
  const auto* data = clock ? clock->find("data") : nullptr;
  const auto* now = data == nullptr ? nullptr : data->find("now");
  const auto parsed = now == nullptr ? std::nullopt : Timestamp::parse(now->text);
  return parsed.value_or(
      Timestamp{std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())});
}

// The history up to now, or up to --as-of, so that all tables are of one time.
Result<TableScope> table_scope(OperatorApi& api, const Arguments& arguments) {
  const auto now = service_now(api);
  if (!now) return now.error();
  TableScope scope{.now = *now};
  if (const auto at = arguments.find("--as-of")) {
    scope.until = Timestamp::parse(*at);
    if (*scope.until > *now)
      return Error{ErrorCode::kInvalid, "--as-of must not be in the future."};
    scope.now = *scope.until;
  }
  if (const auto owner = arguments.find("--owner")) {
    auto id = find_user(api, *owner);
    if (!id) return id.error();
    scope.owner = std::move(*id);
  }
  const auto status = api.get("status");
  if (!status) return status.error();
  const auto* data = status->find("data");
  const auto* log = data == nullptr ? nullptr : data->find("log");
  const auto* partitions = log == nullptr ? nullptr : log->find("partitions");
  const auto* projections = data == nullptr ? nullptr : data->find("projections");
  if (partitions == nullptr || projections == nullptr) {
    return Error{ErrorCode::kUnavailable, "The service does not report what its log contains."};
  }
  for (const auto& [index, each] : partitions->children) {
    scope.ends[static_cast<int>(number_in(each, "partition"))] = number_in(each, "end");
  }
  for (const auto& [index, projection] : projections->children) {
    const auto* name = projection.find("name");
    const auto* skipped = projection.find("skipped");
    const bool folds = name != nullptr && (name->text == "registry" || name->text == "access");
    if (!folds || skipped == nullptr) continue;
    for (const auto& [at, position] : skipped->children) {
      scope.skipped.emplace(static_cast<int>(number_in(position, "partition")),
                            number_in(position, "offset"));
    }
  }
  return scope;
}

class TablesExport {
 public:
  TablesExport(OperatorApi& api, const TableScope& scope, TableFiles& files)
      : api_(api), scope_(scope), files_(files) {}

  Status write() {
    auto reference = stream(std::string(kReferenceStream), nullptr);
    if (const auto read = read_all(kReferenceStream, reference); !read) return read;
    auto access = stream(std::string(kAccessStream), nullptr);
    if (const auto read = read_all(kAccessStream, access); !read) return read;
    auto users = access.user_ids();
    if (!scope_.owner) {
      auto audit = stream(std::string(kAuditStream), nullptr);
      if (const auto read = read_all(kAuditStream, audit); !read) return read;
    } else {
      if (std::find(users.begin(), users.end(), *scope_.owner) == users.end()) {
        return Error{ErrorCode::kNotFound, "There is no user " + *scope_.owner + "."};
      }
      users = {*scope_.owner};
    }
    for (std::size_t i = 0; i < users.size(); ++i) {
      note_ = std::to_string(i + 1) + " of " + std::to_string(users.size()) + " owners";
      reached_ = static_cast<std::int64_t>(i), total_ = static_cast<std::int64_t>(users.size());
      auto owned = stream(users[i], &reference);
      if (const auto read = read_all(users[i], owned); !read) return read;
    }
    return kDone;
  }

 private:
  StreamTables stream(std::string name, const StreamTables* reference) {
    return {std::move(name), scope_,
            [this](const ExportTable& table, const RowCells& cells) {
              return files_.write(table, cells);
            },
            [this] { return RowSpillFile::make(files_.directory()); }, reference};
  }

  Status read_all(std::string_view name, StreamTables& tables) {
    Status taken = kDone;
    const auto read = api_.read_lines(
        {with_parameter("events", "owner", name)},
        [&](std::string_view line) {
          const auto more = tables.take(line);
          if (!more) taken = more.error();
          return more && *more;
        },
        [this] { progress_.reach(reached_, total_, note_); });
    if (!read) return read;
    return taken ? tables.finish() : taken;
  }

  OperatorApi& api_;
  const TableScope& scope_;
  TableFiles& files_;
  Progress progress_{"Exporting tables"};
  std::string note_ = "shared records and users";
  std::int64_t reached_ = 0, total_ = 1;
};

Status write_tables(OperatorApi& api, const TableScope& scope, TableFiles& files) {
  try {
    return TablesExport(api, scope, files).write();
  } catch (const UnreadableRows& rows) {
    return Error{ErrorCode::kUnavailable, std::string("Rows that did not fit into memory cannot be "
                                                      "read again: ") +
                                              rows.what() + "."};
  }
}

// What the export is of, as JSON.
Json export_about(const TableScope& scope, const TableFiles& files, TableFormat format) {
  Json about = object_value();
  about.add("tilthVersion", text_value(TILTH_VERSION));
  about.add("asOf", text_value(scope.now.text()));
  about.add("owner", scope.owner ? text_value(*scope.owner) : Json{});
  about.add("format", text_value(std::string(name_of(format))));
  auto& rows = about.add("rows", object_value());
  for (const auto* table : all_tables()) rows.add(table->name, Json::number(files.rows(*table)));
  return about;
}

Status describe_in(TableFiles& files, const Json& about, TableFormat format, Timestamp as_of) {
  if (const auto added = files.add("README.md", tables_markdown()); !added) return added;
  if (const auto added = files.add("tables.sql", tables_duckdb(format, as_of)); !added)
    return added;
  auto members = to_text(about);
  members = members.substr(1, members.size() - 2) + ",\n  ";
  return files.add("tables.json", tables_json(members));
}

ExitStatus export_tables(const Arguments& arguments) {
  const auto format =
      arguments.find("--format") == "jsonl" ? TableFormat::kJsonLines : TableFormat::kCsv;
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto scope = table_scope(*api, arguments);
  if (!scope) return failed(scope.error().message);
  auto files = TableFiles::open(arguments.at("DIR"), format);
  if (!files) return failed(files.error().message);
  if (const auto written = write_tables(*api, *scope, *files); !written) {
    return failed(written.error().message);
  }
  const auto about = export_about(*scope, *files, format);
  if (const auto described = describe_in(*files, about, format, scope->now); !described) {
    return failed(described.error().message);
  }
  if (const auto finished = files->finish(); !finished) return failed(finished.error().message);
  if (arguments.has("--json")) {
    Json answer = object_value();
    answer.add("data", about);
    std::cout << to_text(answer) << '\n';
    return done();
  }
  std::int64_t rows = 0;
  for (const auto* table : all_tables()) rows += files->rows(*table);
  std::cout << files->directory().string() << " holds " << all_tables().size() << " tables with "
            << rows << " rows. README.md there explains them.\n";
  return done();
}

ExitStatus describe_tables(const Arguments& arguments) {
  std::cout << (arguments.has("--json") ? tables_json({}) : tables_markdown());
  return done();
}

}  // namespace

std::vector<Command> table_commands() {
  return {
      {"tables export",
       "Writes a table of each kind of record and each type of event, for analysts",
       "tilth tables export tables --format csv",
       {{"DIR", "the directory to make; it may exist if it is empty"}},
       service_flags(
           {{"--as-of", "T", "as it was at this time; by default as it is", false, instants()},
            {"--format", "F", "csv, the default, or jsonl", false, one_of({"csv", "jsonl"})},
            {"--owner", "U", "only what this owner has: a user's id or email"}}),
       export_tables},
      {"tables describe",
       "Prints the tables and their columns; needs no service",
       "tilth tables describe --json",
       {},
       {{"--json", "", "print JSON, for machines"}},
       describe_tables},
  };
}

}  // namespace tilth::cli
