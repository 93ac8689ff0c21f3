// Describes the values of a type as data: an object's members, an enum's names, how a scalar is
// read and written. Readers, writers, JSON Schemas and fingerprints use it, so that none of them is
// compiled again for each type.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "events/json/codec.h"
#include "events/json/described.h"
#include "events/json/type_name.h"
#include "events/values/ids.h"

namespace tilth {

class MemberVisitor;

// Function pointers that do not apply to a kind are null. `value` is a value of the type.
struct TypeForm {
  enum class Kind {
    kObject,
    kArray,
    kOptional,
    kPatch,
    kOwnJson,
    kEnum,
    kBoolean,
    kInteger,
    kNumber,
    kDecimal,  // a string in responses
    kFigure,   // a decimal that is a number in responses, too
    kText,
  };

  Kind kind;
  const TypeForm* inner = nullptr;  // of an array, an optional, a patch
  std::string_view name = {};       // of an object's type, see type_name.h

  // For an object: its members, and the rules that span several members.
  void (*visit)(MemberVisitor&, void* value) = nullptr;
  void (*check)(const void* value, Issues&) = nullptr;
  std::shared_ptr<void> (*make)() = nullptr;  // with the defaults of its members

  // For an array, an optional, a patch.
  void* (*emplace)(void* value) = nullptr;  // adds an element, or sets the value
  void (*clear)(void* value) = nullptr;
  std::size_t (*size)(const void* value) = nullptr;  // an optional and a patch have 0 or 1
  const void* (*at)(const void* value, std::size_t index) = nullptr;

  // For a type with a JSON form of its own.
  bool (*read_own)(const Json&, bool check, Issues&, const std::string& path,
                   void* value) = nullptr;
  std::string_view schema = {};
  const std::type_info* type = nullptr;

  // For a scalar. read() adds errors to `messages`, and returns whether `json` is such a scalar at
  // all, even if it breaks the rules.
  bool (*read)(const Json&, Reading, const Rules&, void* value,
               std::vector<std::string>& messages) = nullptr;
  std::string (*expected)() = nullptr;
  std::vector<std::string_view> (*names)() = nullptr;  // of an enum
  std::string_view format = {};                        // of text, as JSON Schema calls it
  std::string_view asked_format = {};                  // the same in a request
  std::size_t max_length = 0;                          // of text, in code points; 0: no limit
  bool is_id = false;

  // For a scalar, or a type with a JSON form of its own.
  void (*write)(const void* value, std::string& out) = nullptr;
};

// Visits the members of an object in the order in which they are written.
class MemberVisitor {
 public:
  template <class... T>
  void operator()(Member<T>... members);

 protected:
  ~MemberVisitor() = default;

 private:
  virtual void visit(std::string_view name, const Rules& rules, const TypeForm& form,
                     void* value) = 0;
};

// Check a scalar of the right type against its rules.
void check_text(const std::string& text, const Rules& rules, std::vector<std::string>& messages);
void check_bounds(bool positive, bool at_least, bool at_most, const Rules& rules,
                  std::vector<std::string>& messages);

template <class T>
struct ScalarForm {
  static bool read(const Json& json, Reading how, const Rules& rules, void* value,
                   std::vector<std::string>& messages) {
    auto scalar = read_scalar<T>(json, how);
    if (!scalar) {
      messages.push_back(misfit<T>(json));
      return false;
    }
    T& read = *static_cast<T*>(value);
    read = std::move(*scalar);
    if (how == Reading::kStored) return true;
    if constexpr (Number<T> || AnyDecimal<T>) {
      check_bounds(!rules.positive || read > T{}, !rules.min || read >= T(*rules.min),
                   !rules.max || read <= T(*rules.max), rules, messages);
    } else if constexpr (std::same_as<T, std::string>) {
      check_text(read, rules, messages);
    }
    if constexpr (std::floating_point<T>) {
      if (!stands_for(read, json.text)) messages.push_back(std::string("has ") + kTooManyDigits);
    }
    return true;
  }
  static void write(const void* value, std::string& out) {
    write_scalar(*static_cast<const T*>(value), out);
  }
  static std::string expected() { return tilth::expected<T>(); }
};

extern template struct ScalarForm<std::string>;
extern template struct ScalarForm<std::int64_t>;
extern template struct ScalarForm<double>;
extern template struct ScalarForm<bool>;
extern template struct ScalarForm<Decimal>;

// An optional, a patch or a vector.
template <class T>
struct ContainerForm {
  static void* emplace(void* value) {
    T& container = *static_cast<T*>(value);
    if constexpr (kIs<T, Patch>) {
      return &container.to.emplace();
    } else if constexpr (kIs<T, std::optional>) {
      return &container.emplace();
    } else {
      return &container.emplace_back();
    }
  }
  static void clear(void* value) { *static_cast<T*>(value) = {}; }
  static std::size_t size(const void* value) {
    const T& container = *static_cast<const T*>(value);
    if constexpr (kIs<T, Patch>) {
      return container.to.has_value() ? 1 : 0;
    } else if constexpr (kIs<T, std::optional>) {
      return container.has_value() ? 1 : 0;
    } else {
      return container.size();
    }
  }
  static const void* at(const void* value, std::size_t index) {
    const T& container = *static_cast<const T*>(value);
    if constexpr (kIs<T, Patch>) {
      return &*container.to;
    } else if constexpr (kIs<T, std::optional>) {
      return &*container;
    } else {
      return &container[index];
    }
  }
};

extern template struct ContainerForm<std::optional<std::string>>;
extern template struct ContainerForm<std::optional<std::int64_t>>;
extern template struct ContainerForm<std::optional<double>>;
extern template struct ContainerForm<std::optional<Decimal>>;
extern template struct ContainerForm<Patch<std::string>>;
extern template struct ContainerForm<Patch<std::optional<std::string>>>;
extern template struct ContainerForm<Patch<std::optional<std::int64_t>>>;
extern template struct ContainerForm<Patch<std::optional<double>>>;
extern template struct ContainerForm<Patch<std::optional<Decimal>>>;

template <class T>
struct ObjectForm {
  static void visit(MemberVisitor& visitor, void* value) {
    static_cast<T*>(value)->serialize(visitor);
  }
  static void check(const void* value, Issues& issues) {
    if constexpr (requires(const T& object) { object.check(issues); }) {
      static_cast<const T*>(value)->check(issues);
    }
  }
  static std::shared_ptr<void> make() { return std::make_shared<T>(); }
};

template <class T>
struct OwnJsonForm {
  static bool read(const Json& json, bool check, Issues& issues, const std::string& path,
                   void* value) {
    if constexpr (requires { T::read_json(json, check, issues, path); }) {
      auto found = T::read_json(json, check, issues, path);
      if (found) *static_cast<T*>(value) = std::move(*found);
      return found.has_value();
    }
    return false;
  }
  static void write(const void* value, std::string& out) {
    static_cast<const T*>(value)->write_json(out);
  }
};

template <class T>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (const auto& [value, name] : labels(T{})) names.push_back(name);
  return names;
}

template <class T>
constexpr TypeForm form_of();

template <class T>
inline constexpr TypeForm kTypeForm = form_of<T>();

template <class T>
constexpr TypeForm container_form(TypeForm::Kind kind, const TypeForm& inner) {
  using Form = ContainerForm<T>;
  return {.kind = kind,
          .inner = &inner,
          .emplace = Form::emplace,
          .clear = Form::clear,
          .size = Form::size,
          .at = Form::at};
}

template <class T>
constexpr TypeForm scalar_form(TypeForm::Kind kind) {
  using Form = ScalarForm<T>;
  TypeForm form{.kind = kind, .read = Form::read, .expected = Form::expected, .write = Form::write};
  if constexpr (requires { T::kFormat; }) {
    if (kind == TypeForm::Kind::kText) form.format = form.asked_format = T::kFormat;
  }
  if constexpr (requires { T::kMaxLength; }) form.max_length = T::kMaxLength;
  if constexpr (requires { T::kAskedFormat; }) form.asked_format = T::kAskedFormat;
  form.is_id = kIs<T, Id>;
  return form;
}

template <class T>
constexpr TypeForm form_of() {
  using enum TypeForm::Kind;
  if constexpr (kIs<T, Patch>) {
    return container_form<T>(kPatch, kTypeForm<typename T::Value>);
  } else if constexpr (kIs<T, std::optional>) {
    return container_form<T>(kOptional, kTypeForm<typename T::value_type>);
  } else if constexpr (kIs<T, std::vector>) {
    return container_form<T>(kArray, kTypeForm<typename T::value_type>);
  } else if constexpr (OwnJson<T>) {
    return {.kind = kOwnJson,
            .read_own = OwnJsonForm<T>::read,
            .schema = T::kSchema,
            .type = &typeid(T),
            .write = OwnJsonForm<T>::write};
  } else if constexpr (Described<T>) {
    return {.kind = kObject,
            .name = kSpelling<T>,
            .visit = ObjectForm<T>::visit,
            .check = ObjectForm<T>::check,
            .make = ObjectForm<T>::make};
  } else if constexpr (Labelled<T>) {
    auto form = scalar_form<T>(kEnum);
    form.names = names_of<T>;
    return form;
  } else if constexpr (std::same_as<T, Figure>) {
    return scalar_form<T>(kFigure);
  } else if constexpr (std::same_as<T, Decimal>) {
    return scalar_form<T>(kDecimal);
  } else if constexpr (std::same_as<T, bool>) {
    return scalar_form<T>(kBoolean);
  } else if constexpr (Number<T>) {
    return scalar_form<T>(std::integral<T> ? kInteger : kNumber);
  } else {
    return scalar_form<T>(kText);
  }
}

template <class... T>
void MemberVisitor::operator()(Member<T>... members) {
  (visit(members.name, members.rules, kTypeForm<T>, &members.value), ...);
}

}  // namespace tilth
