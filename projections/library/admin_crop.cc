#include "projections/library/admin_crop.h"

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<AdminCrop>;
template struct RowCodec<Variety>;

LibraryKind find_kind(const Rows& rows, const std::optional<AdminCropId>& crop,
                      const std::optional<VarietyId>& variety) {
  const auto library = rows.reference();
  LibraryKind kind;
  if (variety) kind.variety = library.find(*variety);
  const auto& crop_id = kind.variety ? std::optional(kind.variety->admin_crop_id) : crop;
  if (crop_id) kind.crop = library.find(*crop_id);
  return kind;
}

LibraryKind find_kind_or_named(const Rows& rows, const std::optional<AdminCropId>& crop,
                               const std::optional<VarietyId>& variety, std::string_view name) {
  auto kind = find_kind(rows, crop, variety);
  if (!kind.crop) kind.crop = find_named(rows, name);
  return kind;
}

std::optional<AdminCrop> find_named(const Rows& rows, std::string_view name) {
  const auto id = rows.reference().find_unique<AdminCrop>({}, fold_case(trimmed(name)));
  return id ? find(rows, AdminCropPath{*id}) : std::nullopt;
}

void evolve(MutableRows& rows, const AdminCropDescribed& e) {
  const auto created_at = [&](const auto& before) {
    return before ? before->created_at : e.described_at;
  };
  rows.put(AdminCrop{e.admin_crop_id, e.details, created_at(rows.find(e.admin_crop_id))});
  for (const auto& [id, details] : e.varieties) {
    rows.put(Variety{id, e.admin_crop_id, details, created_at(rows.find(id))});
  }
}

ResourceRows admin_crop_rows() {
  return {.rows = {row_type<AdminCrop>(), row_type<Variety>()},
          .handlers = evolving<AdminCropDescribed>()};
}

}  // namespace tilth
