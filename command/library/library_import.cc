#include "command/library/library_import.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "command/library/admin_crop.h"
#include "command/loop/import_tally.h"
#include "events/json/json_reader.h"
#include "events/log/streams.h"

namespace tilth {
namespace {

constexpr std::size_t kLargestCrop = 4 << 20;  // in bytes of text, with its varieties
constexpr std::size_t kMostIssues = 100;       // as many as a client can read
constexpr std::size_t kUnderWay = 64;          // so that the loop never waits for us

std::string path_of(std::size_t index) { return "crops." + std::to_string(index); }

DescribeCrop read_crop(std::string_view text, std::size_t index, Issues& issues) {
  DescribeCrop crop;
  if (text.size() > kLargestCrop) {
    issues[path_of(index)].push_back("must have at most 4 MiB");
  } else if (const auto json = parse_json(text)) {
    JsonReader::read(*json, Reading::kRequest, crop, issues, path_of(index));
  }
  return crop;
}

// Checks a document against the current library.
class Check {
 public:
  Check(const Rows& rows, Timestamp now) : rows_(rows), context_{now, {}} {}

  void add(const DescribeCrop& crop, std::size_t index, Issues& issues) {
    const auto decision = decide(rows_, crop, context_);
    if (!decision) {
      for (const auto& [path, faults] : decision.error().issues) {
        issues.try_emplace(path_of(index) + "." + path, faults);
      }
      return;
    }
    const auto known = find_described(rows_, crop);
    const auto& id = known ? std::optional(known->id) : crop.id;
    const auto& name = crop.changes.name.to ? *crop.changes.name.to : known->details.name;
    const bool new_id = !id || ids_.insert(*id).second;
    const bool new_name = names_.insert(fold_case(name)).second;
    if (!new_id || !new_name) issues[path_of(index)].push_back("names a crop for the second time");
  }

 private:
  const Rows& rows_;
  const Context context_;
  std::set<AdminCropId> ids_;
  std::set<std::string> names_;
};

}  // namespace

Result<ImportedLibrary> LibraryImport::run(std::string_view document) const {
  const auto items = split_json(document, "crops");
  if (!items) return items.error();
  ImportedLibrary imported{.crops = static_cast<std::int64_t>(items->size())};
  Issues issues;
  {
    const auto view = registry.view(std::string(kReferenceStream));
    Check check(view->rows, now);
    for (std::size_t i = 0; i < items->size() && issues.size() < kMostIssues; ++i) {
      const auto crop = read_crop((*items)[i], i, issues);
      const bool is_known = !issues.contains(path_of(i)) && !issues.contains(path_of(i) + ".id");
      if (is_known) check.add(crop, i, issues);
      imported.varieties += static_cast<std::int64_t>(crop.varieties.size());
    }
  }
  if (!issues.empty()) {
    return Error{ErrorCode::kInvalid, "The library document is not valid.", std::move(issues)};
  }
  ImportTally tally(kUnderWay);
  for (std::size_t i = 0; i < items->size() && tally.begin(); ++i) {
    commands.carry_out({.stream = std::string(kReferenceStream),
                        .actor = actor,
                        .request_id = request_id,
                        .traceparent = traceparent,
                        .decide = deciding(read_crop((*items)[i], i, issues))},
                       [&tally](const Result<CommandResult>& outcome) { tally.end(outcome); });
  }
  const auto changed = tally.wait();
  if (!changed) return changed.error();
  imported.changed = *changed;
  return imported;
}

}  // namespace tilth
