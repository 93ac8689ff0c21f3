#include "api/platform/as_of.h"

#include <memory>
#include <thread>

namespace tilth {
namespace {

// A long history, while the owner's other requests want the processor, too.
constexpr std::chrono::seconds kTimeout{120};

}  // namespace

Status AsOf::fold(Question question, OnFolded done) {
  const auto& sources = sources_.find(question.projection)->second;
  auto abandoned = std::move(question.abandoned);
  auto owner = question.owner;
  return executor_.post(
      {.owner = std::move(owner),
       .kind = WorkKind::kAsOf,
       .run =
           [&sources, question = std::move(question), done = std::move(done)](WorkToken& token) {
             if (!token.go_on()) return done(token.error(), token);
             // The rows ask, too, and a streamed response reads them later, on other threads.
             const auto running = std::make_shared<WorkToken*>(&token);
             const auto here = std::this_thread::get_id();
             auto past =
                 fold_past(sources, question.owner, question.at, question.aged, [running, here] {
                   return std::this_thread::get_id() != here || *running == nullptr ||
                          (*running)->go_on();
                 });
             if (past || token.go_on()) {
               done(std::move(past), token);
             } else {
               done(token.error(), token);
             }
             *running = nullptr;
           },
       .abandoned = std::move(abandoned),
       .timeout = kTimeout});
}

}  // namespace tilth
