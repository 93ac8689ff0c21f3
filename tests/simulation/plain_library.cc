#include "tests/simulation/plain_library.h"

namespace tilth::testing {

void PlainLibrary::take(const Record& record) {
  records_.take(record);
  note("admin_crop");
  note("variety");
  for (const auto& [id, variety] : records_.all("variety")) {
    crop_of_[id] = text_in(variety, "adminCropId");
  }
}

void PlainLibrary::note(const std::string& table) {
  for (const auto& [id, members] : records_.all(table)) {
    const auto& days = members.at("daysToMaturity");
    days_[id].insert(days == "null" ? std::nullopt : std::optional(std::stoll(days)));
  }
}

std::string PlainLibrary::crop_of(const std::string& variety) const {
  const auto found = crop_of_.find(variety);
  return found == crop_of_.end() ? "" : found->second;
}

PlainLibrary::Days PlainLibrary::own_days(const std::string& id) const {
  const auto found = days_.find(id);
  return found == days_.end() ? Days{std::nullopt} : found->second;
}

PlainLibrary::Days PlainLibrary::days_to_maturity(const std::string& crop,
                                                  const std::string& variety) const {
  if (!crop_of_.contains(variety)) return own_days(crop);
  auto days = own_days(variety);
  if (days.erase(std::nullopt) > 0) days.merge(own_days(crop_of(variety)));
  return days;
}

}  // namespace tilth::testing
