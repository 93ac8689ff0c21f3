#include "infra/http/turn.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

thread_local Turn* current = nullptr;

}  // namespace

Turn::Turn() {
  if (current == nullptr) current = this;
}

Turn::~Turn() {
  if (current != this) return;
  current = nullptr;
  for (const auto& ending : endings_) ending->on_end_of_turn();
}

void Turn::flush() {
  if (current == nullptr) return;
  for (const auto& ending : std::exchange(current->endings_, {})) ending->on_end_of_turn();
}

bool Turn::put_off(const std::shared_ptr<Ending>& what) {
  if (current == nullptr) return false;
  auto& endings = current->endings_;
  if (std::ranges::find(endings, what) == endings.end()) endings.push_back(what);
  return true;
}

}  // namespace tilth
