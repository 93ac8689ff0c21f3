#include "events/json/rule_check.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "events/values/geometry.h"
#include "events/values/places.h"

namespace tilth {
namespace {

std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

bool is_code(std::string_view text) {
  constexpr std::size_t kLetters = 3;
  return text.size() == kLetters &&
         std::ranges::all_of(text, [](char c) { return 'A' <= c && c <= 'Z'; });
}

// Whether any content that can be read will do.
bool is_free(const TypeForm& form) {
  return *form.type == typeid(Polygon) || *form.type == typeid(Geometry) ||
         *form.type == typeid(FreeObject);
}

// Fills `value`, which is of that form, as far as it has to be filled to be checked.
void check(const Json& json, void* value, const TypeForm& form, const Rules& rules,
           const std::string& path, Issues& issues);

class MemberChecker final : public MemberVisitor {
 public:
  MemberChecker(const Json& object, const std::string& path, Issues& issues)
      : object_(object), path_(path), issues_(issues) {}

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form,
             void* value) override {
    const Json* found = object_.find(name);
    if (found != nullptr) check(*found, value, form, rules, below(path_, name), issues_);
  }

  const Json& object_;
  const std::string& path_;
  Issues& issues_;
};

void check(const Json& json, void* value, const TypeForm& form, const Rules& rules,
           const std::string& path, Issues& issues) {
  using enum TypeForm::Kind;
  if (json.kind == Json::Kind::kNull) return;
  std::vector<std::string> messages;
  switch (form.kind) {
    case kObject: {
      MemberChecker members(json, path, issues);
      return form.visit(members, value);
    }
    case kOptional:
    case kPatch:
      return check(json, form.emplace(value), *form.inner, rules, path, issues);
    case kArray:
      for (std::size_t i = 0; i < json.children.size(); ++i) {
        check(json.children[i].second, form.emplace(value), *form.inner, rules,
              below(path, std::to_string(i)), issues);
      }
      return;
    case kOwnJson:
      if (!is_free(form)) form.read_own(json, true, issues, path, value);
      return;
    case kInteger:
    case kNumber:
    case kDecimal:
    case kFigure:
      form.read(json, Reading::kRequest, rules, value, messages);
      break;
    case kText:
      check_text(json.text, {}, messages);
      // Not whether there is such a currency: standards change.
      if (&form == &kTypeForm<Currency> && !is_code(json.text)) {
        messages.push_back("must be " + std::string(Currency::kExpected));
      }
      break;
    case kEnum:
    case kBoolean:
      break;
  }
  if (messages.empty()) return;
  auto& all = issues[path];
  std::ranges::move(messages, std::back_inserter(all));
}

}  // namespace

void check_rules(const Json& object, const TypeForm& form, Issues& issues) {
  const auto value = form.make();
  check(object, value.get(), form, {}, {}, issues);
}

}  // namespace tilth
