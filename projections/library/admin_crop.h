// The crop library as rows: its crops and their varieties. They are in the reference stream.

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "events/library/admin_crop.h"
#include "events/values/text.h"
#include "projections/rows/rows.h"

namespace tilth {

struct AdminCrop {
  static constexpr std::string_view kTable = "admin_crop";
  static constexpr std::array<std::string_view, 2> kSorts{"name", "createdAt"};
  static constexpr std::array<std::string_view, 2> kFilters{"category", "listed"};
  static constexpr std::string_view kListed = "listed";  // the one value of that filter

  AdminCropId id;
  AdminCropDetails<Own> details;
  Timestamp created_at = {};

  // Whether growers may see it and refer to it.
  bool listed() const { return details.is_verified && details.is_active; }

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(listed() ? details.category : std::nullopt);
    index.filter(listed() ? std::optional(kListed) : std::nullopt);
    index.sort(details.name), index.sort(created_at);
    index.unique(fold_case(details.name));
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    details.serialize(ar);
    ar(member("createdAt", created_at));
  }
};

struct Variety {
  static constexpr std::string_view kTable = "variety";
  static constexpr std::array<std::string_view, 1> kSorts{"varietyName"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  VarietyId id;
  AdminCropId admin_crop_id;
  VarietyDetails<Own> details;
  Timestamp created_at = {};

  Uuid parent() const { return admin_crop_id.uuid; }
  void index_to(RowIndex& index) const {
    index.sort(details.variety_name);
    index.unique(fold_case(details.variety_name));
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("adminCropId", admin_crop_id));
    details.serialize(ar);
    ar(member("createdAt", created_at));
  }
};

// The path of a library crop in a request.
struct AdminCropPath {
  AdminCropId admin_crop_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", admin_crop_id));
  }
};

// The library's crop, if growers may see it. `rows` may be any owner's.
inline std::optional<AdminCrop> find(const Rows& rows, const AdminCropPath& at) {
  auto crop = rows.reference().find(at.admin_crop_id);
  return crop && crop->listed() ? crop : std::nullopt;
}

// The crop of that name that growers may see; ignores case and surrounding spaces.
std::optional<AdminCrop> find_named(const Rows& rows, std::string_view name);

// A variety of a crop that growers may see.
inline std::optional<Variety> find_variety(const Rows& rows, const VarietyId& id) {
  auto variety = rows.reference().find(id);
  return variety && find(rows, AdminCropPath{variety->admin_crop_id}) ? variety : std::nullopt;
}

// What the library says of what is grown: from the variety, or where it says nothing, its crop.
struct LibraryKind {
  std::optional<AdminCrop> crop = {};
  std::optional<Variety> variety = {};

  template <class T>
  std::optional<T> of(std::optional<T> VarietyDetails<Own>::*of_variety,
                      std::optional<T> AdminCropDetails<Own>::*of_crop) const {
    auto value = variety ? variety->details.*of_variety : std::nullopt;
    if (!value && crop) value = crop->details.*of_crop;
    return value;
  }
};

// The given variety with its crop, else the given crop; listed or not: it was listed when a grower
// referred to it.
LibraryKind find_kind(const Rows& rows, const std::optional<AdminCropId>& crop,
                      const std::optional<VarietyId>& variety);

// As find_kind(). If neither is given, the crop of that name.
LibraryKind find_kind_or_named(const Rows& rows, const std::optional<AdminCropId>& crop,
                               const std::optional<VarietyId>& variety, std::string_view name);

void evolve(MutableRows& rows, const AdminCropDescribed& e);

}  // namespace tilth
