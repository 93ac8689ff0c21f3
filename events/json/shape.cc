#include "events/json/shape.h"

#include <cstdlib>

namespace tilth {
namespace {

class ObjectShape final : public MemberVisitor {
 public:
  std::string text = "{";

 private:
  void visit(std::string_view name, const Rules&, const TypeForm& form, void*) override {
    text.append(text.size() > 1 ? "," : "").append(name).append(":").append(shape_of(form));
  }
};

}  // namespace

std::string shape_of(const TypeForm& form) {
  using enum TypeForm::Kind;
  switch (form.kind) {
    case kObject: {
      ObjectShape object;
      form.visit(object, form.make().get());
      return object.text + "}";
    }
    case kArray:
      return "[" + shape_of(*form.inner) + "]";
    case kOptional:
    case kPatch:
      return shape_of(*form.inner) + "?";
    case kOwnJson:
      return std::string("its own, ") + form.type->name();
    case kEnum:
    case kBoolean:
    case kInteger:
    case kNumber:
    case kDecimal:
    case kFigure:
    case kText:
      return form.expected();
  }
  std::abort();
}

}  // namespace tilth
