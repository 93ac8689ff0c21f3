#include "tests/simulation/batched_request.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "events/json/json.h"

namespace tilth::testing {
namespace {

using Members = PlainRecords::Members;
using What = PlainRequest::What;

constexpr std::string_view kBegins = "{$r", kEnds = "}";

// Where the records of a kind are.
const std::map<std::string, std::string>& collections() {
  static const std::string kField = "/v1/farms/{farmId}/fields",
                           kBlock = kField + "/{fieldId}/blocks", kOfBlock = kBlock + "/{blockId}";
  static const std::map<std::string, std::string> kCollections{
      {"farm", "/v1/farms"},
      {"field", kField},
      {"block", kBlock},
      {"plant", kOfBlock + "/plants"},
      {"leaf_sample", kOfBlock + "/leaf-samples"},
      {"fertigation", kOfBlock + "/fertigations"},
      {"soil_sample", kField + "/{fieldId}/soil-samples"},
      {"irrigation", kField + "/{fieldId}/irrigations"},
      {"crop", "/v1/crops"},
      {"task", "/v1/tasks"},
      {"task_template", "/v1/templates"},
      {"recurring_task", "/v1/recurring-tasks"},
      {"expense", "/v1/farms/{farmId}/expenses"},
      {"overhead", "/v1/farms/{farmId}/overheads"},
      {"sale", "/v1/crops/{cropId}/sales"},
      {"price_report", "/v1/market/price-reports"}};
  return kCollections;
}

// The name by which other records and paths name one of that kind; empty: by none.
std::string link_of(const std::string& table) {
  if (table == "task_template") return "templateId";
  constexpr std::array<std::string_view, 4> kLinked{"farm", "field", "crop", "block"};
  return std::ranges::find(kLinked, table) == kLinked.end() ? "" : table + "Id";
}

std::string reference_to(std::size_t place) {
  return std::string(kBegins) + std::to_string(place) + std::string(kEnds);
}

std::optional<std::size_t> place_in(std::string_view text) {
  if (!text.starts_with(kBegins) || !text.ends_with(kEnds)) return std::nullopt;
  return std::stoull(std::string(text.substr(kBegins.size())));
}

std::string path_of(const PlainRequest& asked) {
  std::string path = collections().at(asked.table);
  for (const auto& [name, value] : asked.place) {
    const auto at = path.find("{" + name + "}");
    if (at != path.npos) path.replace(at, name.size() + 2, unquoted(value));
  }
  if (asked.what != What::kCreate) path += "/" + asked.id;
  if (asked.form == PlainRequest::Form::kCompletion) path += "/complete";
  return path;
}

// A creation leaves out what is said to be nothing.
std::string body_of(const PlainRequest& asked) {
  if (asked.what == What::kRemove) return {};
  std::string body = "{";
  for (const auto& [name, value] : asked.body) {
    const bool is_nothing = value == "null" || value == R"("")";
    if (asked.what == What::kCreate && is_nothing) continue;
    if (body.size() > 1) body += ",";
    const bool is_note = asked.form == PlainRequest::Form::kCompletion && name == "completionNotes";
    body.append("\"").append(is_note ? "notes" : name).append("\":").append(value);
  }
  return body + "}";
}

// Remembers what the requests so far make, and has later ones refer to it.
class References {
 public:
  explicit References(World& world) : world_(world) {}

  void put_into(PlainRequest& asked) {
    if (world_.once_in(3)) return;
    if (asked.what == What::kCreate) {
      put_newest(asked.place);
    } else if (const auto made = made_.find(asked.table); made != made_.end()) {
      asked.id = reference_to(made->second.place);
      asked.place = made->second.within;
    } else {
      return;
    }
    put_newest(asked.body);
  }

  void note(const PlainRequest& asked, std::size_t place) {
    if (asked.what != What::kCreate || !asked.of_template.empty()) return;
    made_[asked.table] = {place, asked.place};
    const auto link = link_of(asked.table);
    if (link.empty()) return;
    // What lies elsewhere is no place for what follows.
    if (link == "farmId") newest_.clear();
    for (const auto* members : {&asked.place, &asked.body}) {
      for (const auto& [name, value] : *members) {
        const bool is_place = name == "farmId" || name == "fieldId";
        if (is_place && value != "null") newest_[name] = value;
      }
    }
    newest_[link] = "\"" + reference_to(place) + "\"";
  }

 private:
  struct Made {
    std::size_t place = 0;
    Members within = {};
  };

  void put_newest(Members& members) const {
    for (auto& [name, value] : members) {
      const auto found = newest_.find(name);
      if (found != newest_.end() && value != "null") value = found->second;
    }
  }

  World& world_;
  std::map<std::string, std::string, std::less<>> newest_;  // JSON, by the name of a link
  std::map<std::string, Made> made_;                        // by table
};

void note_references(BatchedWish& wish) {
  const auto note = [&](std::string_view text) {
    const auto place = place_in(text);
    auto& all = wish.refers_to;
    if (place && std::ranges::find(all, *place) == all.end()) all.push_back(*place);
  };
  note(wish.asked->id);
  for (const auto* members : {&wish.asked->place, &wish.asked->body}) {
    for (const auto& [name, value] : *members) {
      if (value.starts_with('"')) note(unquoted(value));
    }
  }
}

BatchedWish as_batched(PlainRequest asked, std::optional<std::vector<std::string>> if_match) {
  BatchedWish wish{
      .asked = std::move(asked), .if_match = std::move(if_match), .method = "POST", .path = {}};
  const auto& its = *wish.asked;
  if (its.what == What::kRemove) wish.method = "DELETE";
  if (its.what == What::kChange && its.form == PlainRequest::Form::kUsual) wish.method = "PUT";
  if (its.form == PlainRequest::Form::kCompletion) wish.if_match.reset();
  wish.path = path_of(its);
  wish.body = body_of(its);
  note_references(wish);
  return wish;
}

// A route refuses it before it looks at any record, and the rules for requests do not say so.
bool contradicts_itself(const PlainRequest& asked) {
  const auto is_before = [&](const std::string& end, const std::string& begin) {
    const auto last = asked.body.find(end), first = asked.body.find(begin);
    if (last == asked.body.end() || first == asked.body.end()) return false;
    return last->second != "null" && first->second != "null" && last->second < first->second;
  };
  return is_before("endDate", "startDate") || is_before("expectedHarvestDate", "plantingDate");
}

// Of the record that the request at that place makes, changes or removes.
BatchedWish read_of(const BatchedWish& wish, std::size_t place) {
  BatchedWish read{.asked = std::nullopt, .method = "GET", .path = {}};
  const bool makes = wish.asked->what == What::kCreate;
  read.subject = makes ? reference_to(place) : wish.asked->id;
  auto of_it = *wish.asked;
  of_it.what = What::kChange;
  of_it.form = PlainRequest::Form::kUsual;
  of_it.id = read.subject;
  read.path = path_of(of_it);
  read.refers_to = wish.refers_to;
  if (makes) read.refers_to.push_back(place);
  return read;
}

}  // namespace

std::vector<BatchedWish> batched(World& world, const std::vector<Wish>& wishes) {
  std::vector<BatchedWish> all;
  References references(world);
  for (const auto& wish : wishes) {
    if (!wish.asked || !wish.asked->of_template.empty()) continue;
    if (!collections().contains(wish.asked->table) || contradicts_itself(*wish.asked)) continue;
    auto asked = *wish.asked;
    auto if_match = wish.request.if_match;
    const auto id = asked.id;
    references.put_into(asked);
    if (asked.id != id) if_match.reset();
    references.note(asked, all.size());
    all.push_back(as_batched(std::move(asked), std::move(if_match)));
    if (all.back().asked->table != "price_report" && world.once_in(6)) {
      all.push_back(read_of(all.back(), all.size() - 1));
    }
  }
  return all;
}

std::string body_of(const std::vector<BatchedWish>& wishes, bool stops_on_error) {
  std::string body = R"({"requests":[)";
  for (std::size_t place = 0; place < wishes.size(); ++place) {
    const auto& wish = wishes[place];
    const auto number = std::to_string(place);
    if (place > 0) body += ",";
    body.append(R"({"id":"r)").append(number).append(R"(","method":")").append(wish.method);
    body.append(R"(","path":")").append(wish.path).append("?item=").append(number).append("\"");
    if (!wish.body.empty()) body.append(R"(,"body":)").append(wish.body);
    if (wish.if_match) {
      std::string tags;
      for (const auto& tag : *wish.if_match) tags.append(tags.empty() ? "" : ", ").append(tag);
      body.append(R"(,"ifMatch":)").append(text_of(Json::string(tags)));
    }
    body += "}";
  }
  return body + R"(],"onError":")" + (stops_on_error ? "stop" : "continue") + "\"}";
}

std::string with_ids(const std::string& id,
                     const std::function<std::string(std::size_t place)>& id_of) {
  const auto place = place_in(id);
  return place ? id_of(*place) : id;
}

PlainRequest with_ids(const PlainRequest& asked,
                      const std::function<std::string(std::size_t place)>& id_of) {
  auto whole = asked;
  const auto resolved = [&](const std::string& text) {
    const auto id = with_ids(text, id_of);
    return id.empty() ? text : id;
  };
  whole.id = resolved(asked.id);
  for (auto* members : {&whole.place, &whole.body}) {
    for (auto& [name, value] : *members) {
      if (value.starts_with("\"{$r")) value = "\"" + resolved(unquoted(value)) + "\"";
    }
  }
  return whole;
}

bool refers(const PlainRequest& asked) {
  const auto is_reference = [](const auto& each) { return each.second.starts_with("\"{$r"); };
  return asked.id.starts_with(kBegins) || std::ranges::any_of(asked.place, is_reference) ||
         std::ranges::any_of(asked.body, is_reference);
}

}  // namespace tilth::testing
