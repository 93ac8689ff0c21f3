#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "events/json/json.h"
#include "events/json/json_members.h"
#include "events/json/plain_part.h"
#include "events/values/ascii.h"
#include "events/values/utf8.h"

namespace tilth {
namespace {

using Kind = Json::Kind;

constexpr int kDeepest = 64;
constexpr std::size_t kUsualMembers = 32;

// Parses RFC 8259, strictly. RapidJSON and similar parsers refuse 1e400 and 400 digits in a row
// even where they pass numbers on as text, and the error would then blame the document instead of
// the member. Without a Json to fill, it only checks that the text is well-formed.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool document(Json& root) { return value(&root, 0) && at_end(); }

  // Whether that is why it has ended.
  bool is_too_deep() const { return is_too_deep_; }

  // Parses an object and keeps the text of each item of its array `wanted`; null if it is no array.
  bool document(std::string_view wanted, std::optional<std::vector<std::string_view>>& items) {
    skip_blanks();
    if (!skip('{')) return false;
    skip_blanks();
    if (skip('}')) return at_end();
    do {
      std::string name;
      if (!named(&name)) return false;
      skip_blanks();
      const bool array = name == wanted && rest_.starts_with('[');
      if (name == wanted) items.reset();
      if (!(array ? split(items.emplace()) : value(nullptr, 1))) return false;
      skip_blanks();
    } while (skip(','));
    return skip('}') && at_end();
  }

  // Parses an object and keeps its members as text.
  bool document(std::vector<JsonMember>& members) {
    skip_blanks();
    if (!skip('{')) return false;
    skip_blanks();
    if (skip('}')) return at_end();
    do {
      auto& member = members.emplace_back();
      if (!named(&member.name)) return false;
      skip_blanks();
      const auto start = rest_;
      if (!value(nullptr, 0)) return false;
      member.text = start.substr(0, start.size() - rest_.size());
      skip_blanks();
    } while (skip(','));
    return skip('}') && at_end();
  }

 private:
  bool split(std::vector<std::string_view>& items) {
    skip('[');
    skip_blanks();
    if (skip(']')) return true;
    do {
      skip_blanks();
      const auto start = rest_;
      if (!value(nullptr, 2)) return false;
      items.push_back(start.substr(0, start.size() - rest_.size()));
      skip_blanks();
    } while (skip(','));
    return skip(']');
  }

  bool value(Json* out, int depth) {
    skip_blanks();
    if (rest_.empty()) return false;
    switch (rest_.front()) {
      case '{':
      case '[':
        is_too_deep_ = depth >= kDeepest;
        return !is_too_deep_ && container(out, depth + 1);
      case '"':
        if (out != nullptr) out->kind = Kind::kString;
        return string(out != nullptr ? &out->text : nullptr);
      case 't':
        return word("true", Kind::kBool, out);
      case 'f':
        return word("false", Kind::kBool, out);
      case 'n':
        return word("null", Kind::kNull, out);
      default:
        return number(out);
    }
  }

  // Parses the array or object whose bracket comes next; `depth` includes it.
  bool container(Json* out, int depth) {
    const bool object = skip('{');
    if (!object) skip('[');
    if (out != nullptr) out->kind = object ? Kind::kObject : Kind::kArray;
    const char end = object ? '}' : ']';
    skip_blanks();
    if (skip(end)) return true;
    // Most documents are one object; those in an array could be many, and then this were much.
    if (out != nullptr && object && depth == 1) out->children.reserve(kUsualMembers);
    do {
      auto* child = out != nullptr ? &out->children.emplace_back() : nullptr;
      if (object && !named(child != nullptr ? &child->first : nullptr)) return false;
      if (!value(child != nullptr ? &child->second : nullptr, depth)) return false;
      skip_blanks();
    } while (skip(','));
    return skip(end);
  }

  // Parses the name of a member and its colon.
  bool named(std::string* out) {
    skip_blanks();
    if (!string(out)) return false;
    skip_blanks();
    return skip(':');
  }

  bool string(std::string* out) {
    if (!skip('"')) return false;
    for (;;) {
      const auto plain = rest_.substr(0, end_of_plain_part(rest_));
      if (out != nullptr && out->empty()) {
        *out = std::string(plain);  // takes a third of the time that append() does
      } else if (out != nullptr) {
        out->append(plain);
      }
      rest_.remove_prefix(plain.size());
      if (skip('"')) return true;
      std::string unwanted;
      if (!skip('\\') || !escaped(out != nullptr ? *out : unwanted)) return false;
    }
  }

  bool escaped(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (skip('u')) return escaped_code(out);
    if (rest_.empty()) return false;
    const auto letter = kLetters.find(rest_.front());
    if (letter == kLetters.npos) return false;
    rest_.remove_prefix(1);
    out += kMeanings[letter];
    return true;
  }

  bool escaped_code(std::string& out) {
    auto code = four_hex_digits();
    if (!code || U16_IS_TRAIL(*code)) return false;
    if (U16_IS_LEAD(*code)) {
      if (!skip('\\') || !skip('u')) return false;
      const auto trail = four_hex_digits();
      if (!trail || !U16_IS_TRAIL(*trail)) return false;
      code = U16_GET_SUPPLEMENTARY(*code, *trail);
    }
    std::array<std::uint8_t, U8_MAX_LENGTH> bytes = {};
    std::size_t size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, *code);
    out.append(bytes.begin(), bytes.begin() + size);
    return true;
  }

  std::optional<UChar32> four_hex_digits() {
    if (rest_.size() < 4) return std::nullopt;
    UChar32 value = 0;
    for (const char c : rest_.substr(0, 4)) {
      const auto digit = std::string_view("0123456789abcdef").find(to_lower(c));
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 16 + static_cast<UChar32>(digit);
    }
    rest_.remove_prefix(4);
    return value;
  }

  bool number(Json* out) {
    const auto start = rest_;
    skip('-');
    if (!skip('0') && !digits()) return false;
    if (skip('.') && !digits()) return false;
    if (skip('e') || skip('E')) {
      if (!skip('+')) skip('-');
      if (!digits()) return false;
    }
    if (out == nullptr) return true;
    out->kind = Kind::kNumber;
    out->text = start.substr(0, start.size() - rest_.size());
    return true;
  }

  bool digits() {
    return skip_all([](char c) { return c >= '0' && c <= '9'; }) > 0;
  }

  bool word(std::string_view expected, Kind kind, Json* out) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    if (out == nullptr) return true;
    out->kind = kind;
    if (kind == Kind::kBool) out->text = expected;
    return true;
  }

  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  void skip_blanks() {
    if (!rest_.empty() && rest_.front() > ' ') return;
    skip_all([](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  }

  template <class Is>
  std::size_t skip_all(Is is) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
    const auto count = static_cast<std::size_t>(end - rest_.begin());
    rest_.remove_prefix(count);
    return count;
  }

  std::string_view rest_;
  bool is_too_deep_ = false;
};

}  // namespace

Result<Json> parse_json(std::string_view text) {
  Json root;
  Parser parser(text);
  if (is_utf8(text) && parser.document(root)) return root;
  return Error{ErrorCode::kInvalid, parser.is_too_deep()
                                        ? "The body is JSON that is nested more than 64 deep."
                                        : "The body is not well-formed JSON."};
}

Result<std::vector<JsonMember>> json_members(std::string_view text) {
  std::vector<JsonMember> members;
  if (is_utf8(text) && Parser(text).document(members)) return members;
  return Error{ErrorCode::kInvalid, "It is not a well-formed JSON object."};
}

Result<std::vector<std::string_view>> split_json(std::string_view text, std::string_view name) {
  std::optional<std::vector<std::string_view>> items;
  Parser parser(text);
  if (!is_utf8(text) || !parser.document(name, items)) {
    if (parser.is_too_deep()) {
      return Error{ErrorCode::kInvalid,
                   "The body is JSON that is nested more than 64 deep.",
                   {{"body", {"must be nested at most 64 deep"}}}};
    }
    return Error{ErrorCode::kInvalid,
                 "The body is not a well-formed JSON object.",
                 {{"body", {"must be a well-formed JSON object"}}}};
  }
  if (items) return std::move(*items);
  return Error{ErrorCode::kInvalid,
               "The body is not valid.",
               {{std::string(name), {"is required and must be an array"}}}};
}

}  // namespace tilth
