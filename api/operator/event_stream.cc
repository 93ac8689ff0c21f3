#include "api/operator/event_stream.h"

#include "api/v1/history/event_line.h"

namespace tilth {
namespace {

std::optional<bool> read_flag(QueryReader& query, std::string_view name, RequestIssues& problems) {
  const auto* text = query.find(name);
  if (text == nullptr) return std::nullopt;
  if (*text == "true" || *text == "1" || text->empty()) return true;
  if (*text != "false" && *text != "0") {
    problems.values[std::string(name)].emplace_back("must be true, false or new");
  }
  return false;
}

}  // namespace

bool EventFilter::wants(const LoggedRecord& logged) const {
  const auto& record = *logged.record;
  const auto& envelope = record.envelope;
  return (!owner || record.stream == *owner) && (!since || envelope.time >= *since) &&
         (!until || envelope.time < *until) && (!type || matches_pattern(*type, envelope.type));
}

EventFilter read_event_filter(const Parameters& parameters, RequestIssues& problems) {
  EventFilter filter;
  QueryReader query(parameters, problems);
  filter.serialize(query);
  auto& issues = problems.values;
  const auto* follow = query.find("follow");
  filter.only_new = follow != nullptr && *follow == "new";
  filter.follow = filter.only_new ? true : read_flag(query, "follow", problems);
  if (const auto* rejected = query.find("rejected")) {
    filter.with_rejected = *rejected == "include";
    if (!filter.with_rejected) issues["rejected"].emplace_back("must be include");
  }
  if (filter.only_new && (filter.from || filter.to)) {
    issues["follow"].emplace_back("must not be new with from or to");
  }
  if ((filter.from || filter.to) && !filter.partition) {
    issues["partition"].emplace_back("is required with from and to");
  }
  for (const auto& [name, number] : {std::pair{"partition", filter.partition},
                                     std::pair{"from", filter.from}, std::pair{"to", filter.to}}) {
    if (number && *number < 0) issues[name].emplace_back("must be at least 0");
  }
  if (filter.limit && *filter.limit < 1) issues["limit"].emplace_back("must be at least 1");
  if (filter.from && filter.to && *filter.from > *filter.to) {
    issues["to"].emplace_back("must not be before from");
  }
  if (filter.since && filter.until && *filter.since > *filter.until) {
    issues["until"].emplace_back("must not be before since");
  }
  return filter;
}

}  // namespace tilth
