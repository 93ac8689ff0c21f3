#include "events/json/json_writer.h"

#include <cstring>
#include <utility>

namespace tilth {
namespace {

// "name": after a comma unless it is the first, in one piece: a response has dozens.
void append_name(std::string& out, bool first, std::string_view name) {
  const auto size = out.size();
  out.resize(size + name.size() + (first ? 3 : 4));
  char* at = out.data() + size;
  if (!first) *at++ = ',';
  *at++ = '"';
  std::memcpy(at, name.data(), name.size());
  at += name.size();
  *at++ = '"';
  *at = ':';
}

class MemberWriter final : public MemberVisitor {
 public:
  explicit MemberWriter(std::string& out) : out_(out) {}

 private:
  void visit(std::string_view name, const Rules& rules, const TypeForm& form,
             void* value) override {
    if (rules.hidden) return;
    const bool patch = form.kind == TypeForm::Kind::kPatch;
    if (patch && form.size(value) == 0) return;
    append_name(out_, std::exchange(first_, false), name);
    write_json(patch ? form.at(value, 0) : value, patch ? *form.inner : form, out_);
  }

  std::string& out_;
  bool first_ = true;
};

}  // namespace

void write_json_members(const void* value, const TypeForm& form, std::string& out) {
  MemberWriter members(out);
  form.visit(members, const_cast<void*>(value));  // only read here
}

void write_json(const void* value, const TypeForm& form, std::string& out) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kObject:
      out.push_back('{');
      write_json_members(value, form, out);
      out.push_back('}');
      return;
    case kArray: {
      out.push_back('[');
      const auto size = form.size(value);
      for (std::size_t i = 0; i < size; ++i) {
        if (i > 0) out.push_back(',');
        write_json(form.at(value, i), *form.inner, out);
      }
      out.push_back(']');
      return;
    }
    case kOptional:
    case kPatch:
      if (form.size(value) > 0) return write_json(form.at(value, 0), *form.inner, out);
      out.append("null");
      return;
    default:
      form.write(value, out);
  }
}

}  // namespace tilth
