// Queries on the crop library.

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projections/library/admin_crop.h"
#include "query/listing.h"

namespace tilth {

struct ListAdminCrops {
  using Row = AdminCrop;
  static constexpr auto kOrder = Order::kAscending;
  WholeStream at;
  std::optional<std::string> search;
  std::optional<std::string> category;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("search", search,
              {.doc = "Part of name or scientificName, without case and accents."}),
       member("category", category));
  }
};

// The listed crops. A search reads all of them: a library has hundreds.
inline Result<Listed<AdminCrop>> run_query(const Rows& rows, const ListAdminCrops& query,
                                           const PageRequest& page) {
  const auto library = rows.reference();
  const auto listed =
      query.category ? std::nullopt : std::optional(std::string(AdminCrop::kListed));
  const auto filters = ListFilters().add(query.category).add(listed);
  if (!query.search) return list_page<AdminCrop>(library, {}, filters, page);

  constexpr std::uint64_t kAtOnce = 500;
  const auto wanted = fold_case_and_accents(*query.search);
  const auto matches = [&](const AdminCrop& crop) {
    const auto& [name, other] = std::pair(crop.details.name, crop.details.scientific_name);
    return fold_case_and_accents(name).find(wanted) != std::string::npos ||
           (other && fold_case_and_accents(*other).find(wanted) != std::string::npos);
  };
  Listed<AdminCrop> found;
  auto from = page;
  for (from.page = 1, from.limit = kAtOnce;; ++from.page) {
    auto some = list_page<AdminCrop>(library, {}, filters, from);
    for (auto& crop : some.rows) {
      if (!matches(crop)) continue;
      const auto rank = found.total++;
      const bool shown = rank / page.limit == page.page - 1;
      if (shown) found.rows.push_back(std::move(crop));
    }
    if (from.page * kAtOnce >= some.total) return found;
  }
}

// The varieties of a crop.
struct ListVarieties {
  std::optional<AdminCropId> admin_crop_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("adminCropId", admin_crop_id, {.required = true}));
  }
};

// All of them, by name; empty if the crop is missing or not listed.
inline std::vector<Variety> run_query(const Rows& rows, const ListVarieties& query) {
  const auto library = rows.reference();
  const auto crop = find(rows, AdminCropPath{*query.admin_crop_id});
  if (!crop) return {};
  return library
      .list<Variety>(crop->id.uuid,
                     {.order = Order::kAscending, .limit = library.count<Variety>(crop->id.uuid)})
      .rows;
}

}  // namespace tilth
