#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/projection_table.h"
#include "app/cli/engine/json_text.h"
#include "app/cli/engine/operator_api.h"
#include "app/cli/engine/progress.h"
#include "app/cli/engine/table.h"
#include "app/cli/engine/url_path.h"
#include "app/cli/engine/whole_number.h"

namespace tilth::cli {
namespace {

using namespace std::chrono_literals;

// The row of a projection, or of the generation being built for it.
std::vector<std::string> projection_row(const std::string& name, const Json& row) {
  return {name,
          shown(row.find("generation")),
          shown(row.find("state")),
          shown(row.find("lagEvents")),
          rounded(row.find("lagSeconds")),
          rounded(row.find("eventsPerSecond")),
          rounded(row.find("etaSeconds")),
          shown(row.find("reason"))};
}

bool is_object(const Json* json) { return json != nullptr && json->kind == Json::Kind::kObject; }

void print_skipped(const std::string& name, const Json& row, Table& table) {
  const auto* skipped = row.find("skipped");
  if (skipped == nullptr) return;
  for (const auto& [index, event] : skipped->children) {
    table.add({name, shown(event.find("partition")), shown(event.find("offset")),
               shown(event.find("eventId")), shown(event.find("skippedAt")),
               shown(event.find("reason"))});
  }
}

// The projections of a status; null where it has none.
const Json* projections_in(const Json& status) {
  const auto* data = status.find("data");
  return data == nullptr ? nullptr : data->find("projections");
}

const Json* projection_named(const Json* projections, const std::string& name) {
  if (projections == nullptr) return nullptr;
  for (const auto& [index, row] : projections->children) {
    if (shown(row.find("name")) == name) return &row;
  }
  return nullptr;
}

ExitStatus list_projections(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = api->get("status");
  if (!answer) return failed(answer.error().message);
  const auto* projections = projections_in(*answer);
  if (!arguments.has("--json")) {
    print_projections(projections);
    return done();
  }
  Json list = object_value();
  list.add("data", projections == nullptr ? Json{Json::Kind::kArray, {}, {}} : *projections);
  std::cout << to_text(list) << '\n';
  return done();
}

Result<Json> order(OperatorApi& api, const Arguments& arguments, const std::string& what,
                   const Json* body = nullptr) {
  return api.send("POST", "projections/" + url_escaped(arguments.at("NAME")) + "/" + what, body);
}

// The projections in a response: one, or each.
std::vector<const Json*> each_of(const Json& answer) {
  std::vector<const Json*> each;
  const auto* data = answer.find("data");
  if (data == nullptr) return each;
  if (data->kind != Json::Kind::kArray) return {data};
  for (const auto& [index, one] : data->children) each.push_back(&one);
  return each;
}

// Prints the projections' state after a change.
ExitStatus show_standing(const Arguments& arguments, const Result<Json>& answer) {
  if (!answer) return failed(answer.error().message);
  if (arguments.has("--json")) {
    std::cout << to_text(*answer) << '\n';
    return done();
  }
  Json rows{Json::Kind::kArray, {}, {}};
  for (const auto* row : each_of(*answer)) rows.add({}, *row);
  print_projections(&rows);
  return done();
}

ExitStatus ordered(const Arguments& arguments, const std::string& what,
                   const Json* body = nullptr) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  return show_standing(arguments, order(*api, arguments, what, body));
}

ExitStatus pause(const Arguments& arguments) { return ordered(arguments, "pause"); }
ExitStatus resume(const Arguments& arguments) { return ordered(arguments, "resume"); }
ExitStatus release(const Arguments& arguments) { return ordered(arguments, "release"); }

ExitStatus switch_over(const Arguments& arguments) {
  return ordered(arguments, arguments.has("--previous") ? "switch?to=previous" : "switch");
}

ExitStatus skip(const Arguments& arguments) {
  Json body = object_value();
  body.add("partition", {Json::Kind::kNumber, arguments.at("--partition"), {}});
  body.add("offset", {Json::Kind::kNumber, arguments.at("--offset"), {}});
  return ordered(arguments, "skip", &body);
}

// Waits until that generation is live, waits for an operator, or has failed.
ExitStatus wait_for(OperatorApi& api, const std::string& name, const std::string& generation) {
  Progress progress("Building " + name);
  std::int64_t most = 0;
  while (true) {
    const auto status = api.get("status");
    if (!status) return failed(status.error().message);
    const auto* row = projection_named(projections_in(*status), name);
    if (row == nullptr) return failed("The service has no projection " + name + " any more.");
    const auto* building = row->find("building");
    if (!is_object(building)) {
      if (shown(row->find("generation")) == generation) return done();
      return failed("Generation " + generation + " of " + name + " is not there any more.");
    }
    const auto state = shown(building->find("state"));
    if (state == "running") return done();
    if (state == "faulted") return failed(shown(row->find("reason")));
    if (state == "paused") return failed("An operator has stopped the rebuild of " + name + ".");
    const auto lag = number_in(*building, "lagEvents");
    most = std::max(most, lag);
    progress.reach(most - lag, most,
                   rounded(building->find("eventsPerSecond")) + " events/s, " +
                       rounded(building->find("etaSeconds")) + " s left");
    std::this_thread::sleep_for(200ms);
  }
}

ExitStatus rebuild(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const bool manual = arguments.find("--switch") == "manual";
  const auto answer = order(*api, arguments, manual ? "rebuild?switch=manual" : "rebuild");
  if (!answer) return failed(answer.error().message);
  if (arguments.has("--wait")) {
    for (const auto* begun : each_of(*answer)) {
      auto waited = wait_for(*api, shown(begun->find("name")), shown(begun->find("generation")));
      if (waited.exit_code != 0) return waited;
    }
  }
  if (arguments.has("--json")) {
    std::cout << to_text(*answer) << '\n';
    return done();
  }
  Table table({"PROJECTION", "GENERATION"});
  for (const auto* begun : each_of(*answer)) {
    table.add({shown(begun->find("name")), shown(begun->find("generation"))});
  }
  table.print(std::cout);
  return done();
}

ExitStatus verify(const Arguments& arguments) {
  auto api = OperatorApi::connect(arguments);
  if (!api) return failed(api.error().message);
  const auto answer = order(*api, arguments, "verify");
  if (!answer) return failed(answer.error().message);
  if (arguments.has("--json")) std::cout << to_text(*answer) << '\n';
  std::int64_t all_found = 0;
  for (const auto* verified : each_of(*answer)) {
    const auto name = shown(verified->find("name"));
    const auto found = number_in(*verified, "found");
    all_found += found;
    if (arguments.has("--json")) continue;
    if (const auto* differences = verified->find("differences")) {
      for (const auto& [index, each] : differences->children) {
        std::cout << name << ": " << shown(each.find("stream")) << ' ' << shown(each.find("what"))
                  << ": " << shown(each.find("live")) << '\n';
      }
    }
    if (found == 0) {
      std::cout << name << ": " << counted(verified->find("rows"), "row") << ", no difference\n";
    }
  }
  if (all_found == 0) return done();
  return failed("The live rows differ from the log in " + std::to_string(all_found) +
                (all_found == 1 ? " place." : " places."));
}

}  // namespace

void print_projections(const Json* projections) {
  Table table({"PROJECTION", "GENERATION", "STATE", "LAG EVENTS", "LAG SECONDS", "EVENTS/S",
               "SECONDS LEFT", "REASON"});
  Table skipped({"SKIPPED BY", "PARTITION", "OFFSET", "EVENT", "AT", "REASON"});
  if (projections == nullptr) return;
  for (const auto& [index, row] : projections->children) {
    const auto name = shown(row.find("name"));
    table.add(projection_row(name, row));
    print_skipped(name, row, skipped);
    const auto* building = row.find("building");
    if (is_object(building)) table.add(projection_row(name + " (building)", *building));
    const auto* previous = row.find("previous");
    if (previous != nullptr && previous->kind == Json::Kind::kNumber) {
      Json kept = object_value();
      kept.add("generation", *previous);
      table.add(projection_row(name + " (previous)", kept));
    }
    if (const auto* cells = row.find("cells")) {
      for (const auto& [number, cell] : cells->children) {
        table.add(projection_row("  cell " + shown(cell.find("cell")), cell));
      }
    }
  }
  table.print(std::cout);
  if (skipped.empty()) return;
  std::cout << '\n';
  skipped.print(std::cout);
}

std::vector<Command> projection_commands() {
  const Operand one{"NAME", "the projection"}, any{"NAME", "the projection, or all"};
  return {
      {"projections list",
       "Lists the projections with their state and lag, and what they were let pass over",
       "tilth projections list --json",
       {},
       service_flags({}),
       list_projections},
      {"projections rebuild",
       "Folds the log into another generation next to the one that is read, compares, and switches",
       "tilth projections rebuild registry --wait",
       {any},
       service_flags({{"--switch", "WHEN",
                       "auto (the default), or manual: wait for `tilth projections switch`", false,
                       one_of({"auto", "manual"})},
                      {"--wait", "", "until it is read, or waits to be switched to"}}),
       rebuild},
      {"projections switch",
       "Reads the generation that waits, or again the former one",
       "tilth projections switch registry --previous",
       {one},
       service_flags({{"--previous", "", "back to the generation that was read before"}}),
       switch_over},
      {"projections verify",
       "Folds the log again and reports every difference from the current rows",
       "tilth projections verify registry",
       {any},
       service_flags({}),
       verify},
      {"projections pause",
       "Lets what is being built stop, or else the projection itself stand still",
       "tilth projections pause registry",
       {any},
       service_flags({}),
       pause},
      {"projections resume",
       "Resumes them",
       "tilth projections resume registry",
       {any},
       service_flags({}),
       resume},
      {"projections skip",
       "Lets a projection pass over the event that it cannot read",
       "tilth projections skip registry --partition 0 --offset 4711",
       {one},
       service_flags(
           {{"--partition", "P", "where it stands, as in the status", true, whole_numbers(0)},
            {"--offset", "O", "where it stands, as in the status", true, whole_numbers(0)}}),
       skip},
      {"projections release",
       "Removes the generation that was read before",
       "tilth projections release registry",
       {any},
       service_flags({}),
       release},
  };
}

}  // namespace tilth::cli
