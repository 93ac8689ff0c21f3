#include "events/json/type_form.h"

#include "events/values/utf8.h"

namespace tilth {

template struct ScalarForm<std::string>;
template struct ScalarForm<std::int64_t>;
template struct ScalarForm<double>;
template struct ScalarForm<bool>;
template struct ScalarForm<Decimal>;
template struct ContainerForm<std::optional<std::string>>;
template struct ContainerForm<std::optional<std::int64_t>>;
template struct ContainerForm<std::optional<double>>;
template struct ContainerForm<std::optional<Decimal>>;
template struct ContainerForm<Patch<std::string>>;
template struct ContainerForm<Patch<std::optional<std::string>>>;
template struct ContainerForm<Patch<std::optional<std::int64_t>>>;
template struct ContainerForm<Patch<std::optional<double>>>;
template struct ContainerForm<Patch<std::optional<Decimal>>>;

void check_text(const std::string& text, const Rules& rules, std::vector<std::string>& messages) {
  const auto characters = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " character" : " characters");
  };
  const auto length = code_points(text);
  if (length < rules.min_length) {
    messages.push_back(rules.min_length == 1
                           ? "must not be empty"
                           : "must have at least " + characters(rules.min_length));
  }
  if (length > rules.max_length) {
    messages.push_back("must have at most " + characters(rules.max_length));
  }
  if (text.find('\0') != text.npos) messages.emplace_back("must not contain U+0000");
}

void check_bounds(bool positive, bool at_least, bool at_most, const Rules& rules,
                  std::vector<std::string>& messages) {
  if (!positive) messages.emplace_back("must be more than 0");
  if (!at_least) messages.push_back("must be at least " + std::to_string(*rules.min));
  if (!at_most) messages.push_back("must be at most " + std::to_string(*rules.max));
}

}  // namespace tilth
