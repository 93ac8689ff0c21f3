#include "api/platform/as_of.h"

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
             auto past = fold_past(sources, question.owner, question.at, question.aged,
                                   [&token] { return token.go_on(); });
             if (!past && !token.go_on()) return done(token.error(), token);
             done(std::move(past), token);
           },
       .abandoned = std::move(abandoned),
       .timeout = kTimeout});
}

}  // namespace tilth
