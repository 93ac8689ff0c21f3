#include "projections/fold/row_list.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

#include <xxhash.h>

// A new resource is one line here: the projection, and the stem of the .cc that has its rows. A
// cascade removes rows in this order.
// clang-format off
#define TILTH_ROWS(of) \
  of(registry, farm) \
  of(registry, field) \
  of(registry, crop) \
  of(registry, block) \
  of(registry, plant) \
  of(registry, irrigation) \
  of(registry, fertigation) \
  of(registry, soil_sample) \
  of(registry, leaf_sample) \
  of(registry, price_report) \
  of(registry, overhead) \
  of(registry, expense) \
  of(registry, sale) \
  of(registry, task) \
  of(registry, recurring_task) \
  of(registry, task_template) /* after its rules, or it would have them visited */ \
  of(registry, user_crop) \
  of(registry, admin_crop) \
  of(registry, exchange_rate) \
  of(registry, request) \
  of(registry, webhook) \
  of(registry, erased_records) \
  of(finance, books) \
  of(finance, exchange_rate) \
  of(finance, rate_changes) \
  of(market, market) \
  of(access, user) \
  of(access, erased_user) \
  of(access, ai_request) \
  of(access, operator) \
  of(access, audit)
// clang-format on

namespace tilth {

#define TILTH_DECLARE(projection, resource) ResourceRows resource##_rows();
TILTH_ROWS(TILTH_DECLARE)
#undef TILTH_DECLARE

namespace {

struct ProjectionRows {
  std::vector<ResourceRows> resources;
  EventHandlers handlers;
};

const std::map<std::string_view, ProjectionRows>& all_rows() {
  static const auto kRows = [] {
    std::map<std::string_view, ProjectionRows> all;
    const auto add = [&](std::string_view projection, ResourceRows rows) {
      auto& [resources, handlers] = all[projection];
      handlers.add(rows.handlers);
      resources.push_back(std::move(rows));
    };
#define TILTH_ADD(projection, resource) add(#projection, resource##_rows());
    TILTH_ROWS(TILTH_ADD)
#undef TILTH_ADD
    return all;
  }();
  return kRows;
}

struct Links {
  std::unordered_map<std::string_view, const RowType*> types;
  std::unordered_map<std::string_view, std::vector<Dependent>> dependents;
  std::unordered_map<std::string_view, std::string_view> hidden_below;
};

bool is_own_list(const GoesWith& link) { return link.filter == CascadeStep::kOwnList; }

bool can_be_hidden(const Links& links, const RowType& type) {
  if (std::ranges::count_if(type.goes_with, is_own_list) != 1) return false;
  if (type.before_cascade != nullptr || type.own_keys != nullptr) return false;
  const auto below = links.dependents.find(type.table);
  return below == links.dependents.end() ||
         std::ranges::all_of(below->second, [&](const Dependent& each) {
           return !is_own_list(*each.link) || can_be_hidden(links, *each.type);
         });
}

const Links& links() {
  static const auto kLinks = [] {
    Links links;
    for (const auto& [projection, rows] : all_rows()) {
      for (const auto& resource : rows.resources) {
        for (const auto& type : resource.rows) {
          if (!links.types.emplace(type.table, &type).second) continue;
          for (const auto& link : type.goes_with) {
            links.dependents[link.table].push_back({&type, &link});
          }
        }
      }
    }
    for (const auto& [table, type] : links.types) {
      if (!can_be_hidden(links, *type)) continue;
      links.hidden_below.emplace(table, std::ranges::find_if(type->goes_with, is_own_list)->table);
    }
    return links;
  }();
  return kLinks;
}

}  // namespace

std::span<const ResourceRows> rows_of(std::string_view projection) {
  return all_rows().at(projection).resources;
}

const EventHandlers& handlers_of(std::string_view projection) {
  return all_rows().at(projection).handlers;
}

std::string fingerprint_of(std::string_view projection, int fold_version) {
  std::string shapes;
  for (const auto& resource : rows_of(projection)) {
    for (const auto& type : resource.rows) shapes += type.shape;
    shapes += resource.more_shape;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%d-%016llx", fold_version,
                static_cast<unsigned long long>(XXH3_64bits(shapes.data(), shapes.size())));
  return text;
}

const RowType* find_row_type(std::string_view table) {
  const auto found = links().types.find(table);
  return found == links().types.end() ? nullptr : found->second;
}

std::string_view hidden_below(std::string_view table) {
  const auto found = links().hidden_below.find(table);
  return found == links().hidden_below.end() ? std::string_view() : found->second;
}

std::span<const Dependent> dependents_of(std::string_view table) {
  const auto found = links().dependents.find(table);
  if (found == links().dependents.end()) return {};
  return found->second;
}

}  // namespace tilth
