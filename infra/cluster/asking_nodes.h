// Asks the nodes that hold some cells what these answer.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/platform/cell_texts.h"
#include "events/values/result.h"

namespace tilth {

// Operation: the cells of a node are asked in one request. If it does not answer for one of them,
// the next node with that cell is asked, until none is left; then it looks once more for nodes,
// since cells move. It lives until it is done.
//
// Threads: any.
class AskingNodes : public std::enable_shared_from_this<AskingNodes> {
 public:
  // What the cells of one node answer; null: it has not answered.
  using OnAnswer = std::function<void(std::optional<CellTexts>)>;
  struct Parts {
    // Nodes that hold a cell, the one to ask first in front.
    std::function<std::vector<std::string>(std::size_t cell)> nodes_with;
    // Asks a node; never waits.
    std::function<void(const std::string& node, const CellTexts& asks, OnAnswer)> send;
  };
  using Done = std::function<void(Result<CellTexts>)>;

  // `done` gets what all cells answer. kUnavailable: no node answers for one of them.
  static void begin(Parts parts, CellTexts asks, Done done);

 private:
  AskingNodes(Parts parts, CellTexts asks, Done done);

  using Requests = std::map<std::string, CellTexts>;  // by node
  std::vector<std::string> in_turn(std::size_t cell) const;
  Requests next_requests(const CellTexts& cells);
  void send(const Requests& requests);
  void on_answer(const CellTexts& asked, std::optional<CellTexts> answer);

  const Parts parts_;
  const CellTexts asks_;
  const Done done_;

  std::mutex mutex_;  // guards what follows
  std::map<std::size_t, std::vector<std::string>>
      nodes_;                           // to be asked, by cell; the next one last
  std::set<std::size_t> looked_again_;  // for nodes with these cells, after all of the first failed
  std::size_t missing_ = 0;             // answers
  CellTexts answers_;
  bool failed_ = false;
};

}  // namespace tilth
