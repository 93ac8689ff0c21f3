// A node in memory. It does all of its work on the thread of the test, turn by turn, so whatever
// the log's completions do meanwhile, a test comes out the same every time.

#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "command/command_loop.h"
#include "command/falls_due.h"
#include "tests/memory_projection_store.h"
#include "tests/spec.h"

namespace tilth::testing {

class Node {
 public:
  using Project = Projection (*)();

  Node(EventLog& log, char name, CommandLoop::Limits limits = {}, Project project = registry)
      : name_(1, name), log_(log), limits_(limits), project_(project) {
    restart();
  }

  CommandLoop& loop() { return *loop_; }
  Rows rows(const std::string& stream) { return loop_->projector().rows(stream); }
  MemoryProjectionStore& store() { return store_; }

  // As after a crash: what was committed is there, nobody waits any more.
  void restart() {
    loop_.reset();
    loop_ =
        std::make_unique<CommandLoop>(log_, store_, project_(),
                                      CommandLoop::Sources{.node = name_,
                                                           .now = [this] { return now; },
                                                           .new_id = [this] { return new_id(); },
                                                           .fell_due = decide_what_fell_due},
                                      limits_);
    const auto opened = loop_->open();
    EXPECT_TRUE(opened) << opened.error().message;
  }

  Timestamp now = kNow;  // by the node's clock

 private:
  Uuid new_id() {
    const auto digits = std::to_string(++ids_);
    return parsed<Uuid>(name_ + "0000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') +
                        digits);
  }

  const std::string name_;
  int ids_ = 0;
  EventLog& log_;
  const CommandLoop::Limits limits_;
  const Project project_;
  MemoryProjectionStore store_;
  std::unique_ptr<CommandLoop> loop_;
};

// Turns the nodes one after another until `done()`.
template <class Done>
void turn_until(Done done, std::initializer_list<Node*> nodes) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it was never done";
    for (auto* node : nodes) ASSERT_TRUE(node->loop().turn(std::chrono::milliseconds(0)));
    std::this_thread::yield();  // to the log
  }
}

}  // namespace tilth::testing
