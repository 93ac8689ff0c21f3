#include "events/log/personal_members.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "events/access/audit.h"
#include "events/json/json.h"
#include "events/json/plain_part.h"
#include "events/log/catalogue.h"
#include "events/log/streams.h"

namespace tilth {
namespace {

constexpr std::string_view kSealed = R"({"sealed":true})";

constexpr std::string_view kTask =
    "title description assignedTo fieldName estimatedDuration actualDuration photoUrl gpsLat "
    "gpsLng "
    "completionNotes notes";

// By the beginning of a type's name. A type without one of these names no person: removals, dates,
// library data, and what is about operators.
struct Listed {
  std::string_view types, members;
};

constexpr auto kListed = std::to_array<Listed>({
    {"tilth.farm.", "name description address city region location boundaries"},
    {"tilth.field.", "name notes description boundaries"},
    {"tilth.crop.", "notes"},
    {"tilth.block.", "name description geometry gridMetadata notes"},
    {"tilth.plant.", "label tagId position notes"},
    {"tilth.task.", kTask},
    {"tilth.task_template.", "name description defaultAssignee estimatedDuration"},
    {"tilth.recurring_task.", "assignedTo fieldName"},
    {"tilth.irrigation.", "notes"},
    {"tilth.fertigation.", "notes"},
    {"tilth.soil_sample.", "lab location notes"},
    {"tilth.leaf_sample.", "lab notes"},
    {"tilth.expense.", "note"},
    {"tilth.overhead.", "note"},
    {"tilth.sale.", "buyer note"},
    {"tilth.request.", "message details"},
    {"tilth.user_crop.", "customizations"},
    {"tilth.user.", "email name passwordHash identity.issuer identity.subject"},
    {"tilth.api_key.", "name metadata allowedIps revokedFrom"},
    {"tilth.webhook.", "url description reason"},
});

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// All that may be personal in events of that type, whether or not it has such members.
std::vector<std::string> candidates(std::string_view type) {
  std::vector<std::string> paths;
  for (const auto& [types, members] : kListed) {
    if (type.starts_with(types)) std::ranges::move(words(members), std::back_inserter(paths));
  }
  if (type.starts_with("tilth.recurring_task.")) {  // the task that a rule makes
    for (const auto& member : words(kTask)) {
      paths.push_back("schedule.makes." + member);
      paths.push_back("rules.schedule.makes." + member);
    }
  }
  return paths;
}

// A member on the way to a personal one, or that one itself.
struct Node {
  std::string name;
  std::string erased;  // what takes its place; empty: it is only on the way
  std::vector<Node> below;
};

// What an erased value of that form is.
std::string erased_value(const TypeForm& form) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kOptional:
      return "null";
    case kPatch:
      return erased_value(*form.inner);
    case kArray:
      return "[]";
    case kText:
      return form.format == "uri" ? R"("https://erased.invalid/")" : R"("[erased]")";
    case kOwnJson:
      return "{}";  // an object with any content
    default:
      std::abort();  // such a member names no person
  }
}

const TypeForm& inside(const TypeForm& form) {
  using enum TypeForm::Kind;
  const bool holds = form.kind == kOptional || form.kind == kPatch || form.kind == kArray;
  return holds ? inside(*form.inner) : form;
}

// The members below an object's form that are on one of the paths.
class Finding final : public MemberVisitor {
 public:
  Finding(const std::vector<std::string>& paths, std::string under)
      : paths_(paths), under_(std::move(under)) {}

  static std::vector<Node> below(const TypeForm& object, const std::vector<std::string>& paths,
                                 const std::string& under) {
    Finding finding(paths, under);
    object.visit(finding, object.make().get());
    return std::move(finding.found_);
  }

 private:
  void visit(std::string_view name, const Rules&, const TypeForm& form, void*) override {
    const auto path = under_ + std::string(name);
    if (std::ranges::find(paths_, path) != paths_.end()) {
      found_.push_back({std::string(name), erased_value(form), {}});
      return;
    }
    const auto leads_on = [&](const auto& each) { return each.starts_with(path + "."); };
    if (inside(form).kind != TypeForm::Kind::kObject || !std::ranges::any_of(paths_, leads_on)) {
      return;
    }
    auto below = Finding::below(inside(form), paths_, path + ".");
    if (!below.empty()) found_.push_back({std::string(name), {}, std::move(below)});
  }

  const std::vector<std::string>& paths_;
  const std::string under_;
  std::vector<Node> found_;
};

using Tree = std::vector<Node>;

// Null: nothing is personal.
const Tree* tree_of(std::string_view type) {
  static const auto kTrees = [] {
    std::unordered_map<std::string_view, Tree> trees;
    for (const auto& codec : event_codecs()) {
      const auto paths = candidates(codec.type->name);
      if (paths.empty()) continue;
      auto tree = Finding::below(*codec.form, paths, {});
      if (!tree.empty()) trees.emplace(codec.type->name, std::move(tree));
    }
    return trees;
  }();
  const auto found = kTrees.find(type);
  return found == kTrees.end() ? nullptr : &found->second;
}

void add_paths(const Tree& tree, const std::string& under, std::vector<std::string>& paths) {
  for (const auto& node : tree) {
    if (!node.erased.empty()) paths.push_back(under + node.name);
    add_paths(node.below, under + node.name + ".", paths);
  }
}

// Walks well-formed JSON text. On other text it ends early and reads nothing outside.
class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {}

  char peek() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  // A string with its quotes.
  std::string_view take_string() {
    const auto begin = at_;
    if (peek() != '"') return {};
    for (at_ = end_of_plain_part(text_, at_ + 1); at_ < text_.size() && text_[at_] != '"';) {
      const bool escapes = text_[at_] == '\\';  // the next one
      at_ = end_of_plain_part(text_, std::min(at_ + (escapes ? 2 : 1), text_.size()));
    }
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }
  std::string_view take_value() {
    const char first = peek();
    if (first == '"') return take_string();
    const auto begin = at_;
    if (first != '{' && first != '[') {  // a number or a word
      const auto ends = [](char c) { return c == ',' || c == '}' || c == ']'; };
      while (at_ < text_.size() && !ends(text_[at_])) ++at_;
      return text_.substr(begin, at_ - begin);
    }
    for (std::size_t depth = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"') {
        take_string();
      } else {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        ++at_;
      }
      if (depth == 0) break;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::size_t at() const { return at_; }
  std::size_t size() const { return text_.size(); }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The characters of a string. Tilth writes no name and no id with escapes, but may have imported it
// so: then they are in `unescaped`.
std::string_view characters(std::string_view quoted, std::string& unescaped) {
  if (quoted.find('\\') == quoted.npos) {
    return quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2);
  }
  const auto json = parse_json(quoted);
  unescaped = json ? json->text : std::string();
  return unescaped;
}

// Copies JSON, with another value for each personal member: what `replace` returns.
class Rewriter {
 public:
  using Replace = std::function<std::string_view(const Node&, std::string_view value)>;

  Rewriter(std::string_view json, const Replace& replace) : text_(json), replace_(replace) {}

  std::string run(const Tree& tree) {
    out_.reserve(text_.size());
    value(tree);
    copy();
    return std::move(out_);
  }

 private:
  // Everything up to here is copied as it is.
  void copy() {
    out_.append(text_.between(copied_, text_.at()));
    copied_ = text_.at();
  }

  void value(const Tree& tree) {
    if (text_.take('{')) {
      while (text_.peek() == '"') {
        member(tree, text_.take_string());
        if (!text_.take(',')) break;
      }
      text_.take('}');
    } else if (text_.take('[')) {
      while (text_.peek() != ']' && text_.peek() != '\0') {
        const auto before = text_.at();
        value(tree);
        if (!text_.take(',') || text_.at() == before) break;
      }
      text_.take(']');
    } else {
      text_.take_value();
    }
  }

  void member(const Tree& tree, std::string_view quoted) {
    text_.take(':');
    std::string unescaped;
    const auto name = characters(quoted, unescaped);
    const auto node =
        std::ranges::find_if(tree, [&](const auto& each) { return each.name == name; });
    if (node == tree.end()) {
      text_.take_value();
    } else if (node->erased.empty()) {
      value(node->below);
    } else {
      text_.peek();
      copy();
      const auto now = text_.take_value();
      out_.append(replace_(*node, now));
      copied_ = text_.at();
    }
  }

  Text text_;
  const Replace& replace_;
  std::string out_;
  std::size_t copied_ = 0;
};

}  // namespace

std::vector<std::string> personal_members(std::string_view type) {
  std::vector<std::string> paths;
  if (const auto* tree = tree_of(type)) add_paths(*tree, {}, paths);
  return paths;
}

std::string owner_of(std::string_view stream, std::string_view json) {
  if (stream == kReferenceStream || stream == kAuditStream) return {};
  if (stream != kAccessStream) return std::string(stream);
  Text text(json);
  std::string owner, unescaped;
  text.take('{');
  while (text.peek() == '"') {
    const bool is_it = characters(text.take_string(), unescaped) == "userId";
    text.take(':');
    const auto value = text.take_value();
    if (is_it) owner = characters(value, unescaped);  // of several, the last one counts
    if (!text.take(',')) break;
  }
  return owner;
}

std::optional<PartedJson> take_personal(std::string_view type, std::string_view json) {
  const auto* tree = tree_of(type);
  if (tree == nullptr) return std::nullopt;
  PartedJson parted;
  bool any = false;
  const Rewriter::Replace take = [&](const Node&, std::string_view value) {
    if (value == "null") return value;
    if (std::exchange(any, true)) parted.personal.push_back(',');
    parted.personal.append(value);
    return kSealed;
  };
  parted.open = Rewriter(json, take).run(*tree);
  return any ? std::optional(std::move(parted)) : std::nullopt;
}

Result<std::string> put_personal(std::string_view type, const PartedJson& parted) {
  const auto* tree = tree_of(type);
  Text personal(parted.personal);
  bool fits = tree != nullptr, first = true;
  const Rewriter::Replace put = [&](const Node&, std::string_view value) {
    if (value != kSealed) return value;
    if (!std::exchange(first, false)) fits = personal.take(',') && fits;
    const auto next = personal.take_value();
    fits = fits && !next.empty();
    return next;
  };
  auto json = fits ? Rewriter(parted.open, put).run(*tree) : std::string();
  if (fits && personal.peek() == '\0') return json;
  return Error{ErrorCode::kDamaged, "its personal members do not fit the others"};
}

std::string put_erased(std::string_view type, std::string_view open) {
  const auto* tree = tree_of(type);
  if (tree == nullptr) return std::string(open);
  const Rewriter::Replace erase = [](const Node& node, std::string_view value) {
    return value == kSealed ? std::string_view(node.erased) : value;
  };
  return Rewriter(open, erase).run(*tree);
}

}  // namespace tilth
