#include "events/json/json_reader.h"

#include <iterator>
#include <utility>
#include <vector>

namespace tilth {
namespace {

// Whether the array has as many items as it may. Otherwise none of them is read, so that no request
// has more problems than its schema has members and items.
bool has_right_size(const Json& array, const Rules& rules, std::vector<std::string>& messages) {
  const auto items = array.children.size();
  const auto say = [&](const char* bound, std::size_t count) {
    messages.push_back(std::string("must have at ") + bound + " " + std::to_string(count) +
                       (count == 1 ? " item" : " items"));
    return false;
  };
  if (items < rules.min_items) return say("least", rules.min_items);
  if (items > rules.max_items) return say("most", rules.max_items);
  return true;
}

void add(std::vector<std::string> messages, std::vector<std::string>& to) {
  std::move(messages.begin(), messages.end(), std::back_inserter(to));
}

// Finds each member of a struct in an object.
class MemberReader final : public MemberVisitor {
 public:
  MemberReader(const Json& object, Reading how, Issues& issues, const std::string& path)
      : object_(object), how_(how), issues_(issues), path_(path) {}

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form,
             void* value) override {
    const Json* found = object_.find(name);
    if (found == nullptr && !(how_ == Reading::kRequest && rules.required)) return;
    if (found == nullptr) return issues_[path_of(name)].push_back("is required");
    const auto* of = &form;
    if (of->kind == TypeForm::Kind::kPatch) value = of->emplace(value), of = of->inner;
    if (of->kind == TypeForm::Kind::kOptional) {
      of->clear(value);
      if (found->kind == Json::Kind::kNull) return;
      value = of->emplace(value), of = of->inner;
    }
    if (of->read == nullptr) {
      return read_json(*found, how_, value, *of, issues_, path_of(name), rules);
    }
    // Nearly all members are scalars without a fault, whose paths nobody needs.
    std::vector<std::string> messages;
    of->read(*found, how_, rules, value, messages);
    if (!messages.empty()) add(std::move(messages), issues_[path_of(name)]);
  }

  std::string path_of(std::string_view name) const {
    return (path_.empty() ? "" : path_ + ".") + std::string(name);
  }

  const Json& object_;
  const Reading how_;
  Issues& issues_;
  const std::string& path_;
};

}  // namespace

void read_json(const Json& json, Reading how, void* value, const TypeForm& form, Issues& issues,
               const std::string& path, const Rules& rules) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kObject: {
      if (json.kind != Json::Kind::kObject) return issues[path].push_back("must be an object");
      MemberReader members(json, how, issues, path);
      form.visit(members, value);
      if (how == Reading::kRequest) form.check(value, issues);
      return;
    }
    case kOptional:
    case kPatch:
      form.clear(value);
      if (json.kind == Json::Kind::kNull) return;
      return read_json(json, how, form.emplace(value), *form.inner, issues, path, rules);
    case kArray:
      if (json.kind != Json::Kind::kArray) return issues[path].push_back("must be an array");
      form.clear(value);
      if (std::vector<std::string> messages;
          how == Reading::kRequest && !has_right_size(json, rules, messages)) {
        return issues[path].push_back(messages.front());
      }
      for (std::size_t i = 0; i < json.children.size(); ++i) {
        read_json(json.children[i].second, how, form.emplace(value), *form.inner, issues,
                  path + "." + std::to_string(i), rules);
      }
      return;
    case kOwnJson:
      form.read_own(json, how == Reading::kRequest, issues, path, value);
      return;
    default:
      break;
  }
  std::vector<std::string> messages;
  form.read(json, how, rules, value, messages);
  if (!messages.empty()) add(std::move(messages), issues[path]);
}

}  // namespace tilth
