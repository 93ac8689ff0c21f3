#include "events/json/json_reader.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {
namespace {

// Whether the array has as many items as it may. Otherwise none of them is read, so that no request
// has more problems than its schema has members and items.
bool has_right_size(const Json& array, const Rules& rules, std::vector<std::string>& messages) {
  const auto items = array.children.size();
  const auto bound_issue = [&](const char* bound, std::size_t count) {
    messages.push_back(std::string("must have at ") + bound + " " + std::to_string(count) +
                       (count == 1 ? " item" : " items"));
    return false;
  };
  if (items < rules.min_items) return bound_issue("least", rules.min_items);
  if (items > rules.max_items) return bound_issue("most", rules.max_items);
  return true;
}

// Where a value is in the document. Nearly all are read without a fault, so the path is only
// written for those that have one.
class Place {
 public:
  explicit Place(std::string_view path) : name_(path) {}
  Place(const Place& above, std::string_view name) : above_(&above), name_(name) {}

  std::string path() const {
    if (above_ == nullptr) return std::string(name_);
    auto path = above_->path();
    if (!path.empty()) path.push_back('.');
    return path.append(name_);
  }

 private:
  const Place* above_ = nullptr;
  std::string_view name_;
};

void read(const Json& json, Reading how, void* value, const TypeForm& form, Issues& issues,
          const Place& at, const Rules& rules);

// Finds each member of a struct in an object.
class MemberReader final : public MemberVisitor {
 public:
  MemberReader(const Json& object, Reading how, Issues& issues, const Place& at)
      : object_(object), how_(how), issues_(issues), at_(at) {}

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form,
             void* value) override {
    const Json* found = object_.find(name);
    if (found == nullptr && !(how_ == Reading::kRequest && rules.required)) return;
    const Place at(at_, name);
    if (found == nullptr) return issues_[at.path()].push_back("is required");
    const bool patch = form.kind == TypeForm::Kind::kPatch;
    read(*found, how_, patch ? form.emplace(value) : value, patch ? *form.inner : form, issues_, at,
         rules);
  }

  const Json& object_;
  const Reading how_;
  Issues& issues_;
  const Place& at_;
};

void read(const Json& json, Reading how, void* value, const TypeForm& form, Issues& issues,
          const Place& at, const Rules& rules) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kObject: {
      if (json.kind != Json::Kind::kObject) return issues[at.path()].push_back("must be an object");
      MemberReader members(json, how, issues, at);
      form.visit(members, value);
      if (how == Reading::kRequest) form.check(value, issues);
      return;
    }
    case kOptional:
    case kPatch:
      form.clear(value);
      if (json.kind == Json::Kind::kNull) return;
      return read(json, how, form.emplace(value), *form.inner, issues, at, rules);
    case kArray:
      if (json.kind != Json::Kind::kArray) return issues[at.path()].push_back("must be an array");
      form.clear(value);
      if (std::vector<std::string> messages;
          how == Reading::kRequest && !has_right_size(json, rules, messages)) {
        return issues[at.path()].push_back(messages.front());
      }
      for (std::size_t i = 0; i < json.children.size(); ++i) {
        const auto index = std::to_string(i);
        read(json.children[i].second, how, form.emplace(value), *form.inner, issues,
             Place(at, index), rules);
      }
      return;
    case kOwnJson:
      form.read_own(json, how == Reading::kRequest, issues, at.path(), value);
      return;
    default:
      break;
  }
  std::vector<std::string> messages;
  form.read(json, how, rules, value, messages);
  if (messages.empty()) return;
  auto& all = issues[at.path()];
  for (auto& message : messages) all.push_back(std::move(message));
}

}  // namespace

void read_json(const Json& json, Reading how, void* value, const TypeForm& form, Issues& issues,
               const std::string& path, const Rules& rules) {
  read(json, how, value, form, issues, Place(path), rules);
}

}  // namespace tilth
