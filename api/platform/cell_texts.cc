#include "api/platform/cell_texts.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "events/json/json_writer.h"
#include "events/json/stored_json.h"

namespace tilth {
namespace {

struct CellText {
  std::int64_t cell = 0;
  std::string text;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cell", cell), member("text", text));
  }
};
struct CellTextsForm {
  std::vector<CellText> cells;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cells", cells));
  }
};

}  // namespace

std::string written(const CellTexts& texts) {
  CellTextsForm form;
  for (const auto& [cell, text] : texts) {
    form.cells.push_back({static_cast<std::int64_t>(cell), text});
  }
  return JsonWriter::text(form);
}

std::optional<CellTexts> read_cell_texts(std::string_view json) {
  auto form = read_stored<CellTextsForm>(json);
  if (!form) return std::nullopt;
  CellTexts texts;
  for (auto& [cell, text] : form->cells) {
    if (cell < 0) return std::nullopt;
    texts[static_cast<std::size_t>(cell)] = std::move(text);
  }
  return texts;
}

}  // namespace tilth
