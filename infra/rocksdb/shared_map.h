// The newest changes to rows, in memory and in key order. A copy costs nothing and never changes.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace tilth {

// A copy-on-write B+ tree: copies share its nodes, and a shared node is copied before it changes.
// An erased key is an entry, too: it hides the row below the map.
//
// Threads: one may change a map while others read copies of it. Copying counts as a change.
class SharedMap {
 public:
  using Value = std::optional<std::string_view>;  // null: erased

  // Whether there is an entry, and its value, which is valid until the map changes or is destroyed.
  bool find(std::string_view key, Value& value) const;
  void put(std::string_view key, Value value);

  bool empty() const { return root_ == nullptr; }
  std::size_t bytes() const { return bytes_; }  // approximate memory use

  class Cursor;
  class Filler;

 private:
  class Page;
  struct Node;
  friend void intrusive_ptr_add_ref(const Node* node) noexcept;
  friend void intrusive_ptr_release(const Node* node) noexcept;
  using Link = boost::intrusive_ptr<Node>;

  static Node& own(Link& link);
  static void split(Node& parent, std::size_t child);

  Link root_;
  std::size_t bytes_ = 0;
};

// Puts entries in key order; each search starts at the last entry. While it exists, the map must
// not be copied or changed in any other way.
class SharedMap::Filler {
 public:
  explicit Filler(SharedMap& map) : map_(map) {}

  // As SharedMap::put(). `key` must be greater than the last one.
  void put(std::string_view key, Value value);

 private:
  struct Step {
    Node* node;
    std::optional<std::string_view> end;  // its keys are less; null: no limit
  };

  Node& leaf_for(std::string_view key);

  SharedMap& map_;
  std::vector<Step> path_;  // from the root to a leaf, none of them shared with a copy
};

// Iterates over a map that must not change meanwhile and must outlive it. As RowCursor, except that
// it also shows erased keys.
class SharedMap::Cursor {
 public:
  explicit Cursor(const SharedMap& map) : root_(map.root_.get()) {}

  void seek(std::string_view key);
  void seek_for_prev(std::string_view key);
  void next();
  void prev();
  bool valid() const { return !path_.empty(); }
  std::string_view key() const;
  Value value() const;

 private:
  struct Step {
    const Node* node;
    std::size_t at;
  };

  void descend(std::string_view key);
  void go_to_end(const Node* node, bool first);
  void leave(bool forward);

  const Node* root_;
  std::vector<Step> path_;  // from the root to an entry; empty: not valid
};

}  // namespace tilth
