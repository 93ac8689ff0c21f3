// The newest changes to rows, in memory and in the order of their keys. A copy costs nothing and
// stays as it is.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace tilth {

// A B+ tree whose nodes are shared with its copies; a node that is shared is copied before it
// changes. What is erased is an entry, too: it hides what lies under the map.
//
// Threads: one may change a map while others read copies of it. Taking a copy counts as changing.
class SharedMap {
 public:
  using Value = std::optional<std::string_view>;  // null: erased

  // Whether there is an entry, and its value, which is good until the map changes or goes.
  bool find(std::string_view key, Value& value) const;
  void put(std::string_view key, Value value);

  bool empty() const { return root_ == nullptr; }
  std::size_t bytes() const { return bytes_; }  // about what it takes in memory

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

// Puts entries in the order of their keys, and looks for each from where the last one lies. The map
// changes through it alone, and is not copied, while it lives.
class SharedMap::Filler {
 public:
  explicit Filler(SharedMap& map) : map_(map) {}

  // As SharedMap::put(). `key` comes after the last one.
  void put(std::string_view key, Value value);

 private:
  struct Step {
    Node* node;
    std::optional<std::string_view> end;  // its keys lie before; null: they are the last ones
  };

  Node& leaf_for(std::string_view key);

  SharedMap& map_;
  std::vector<Step> path_;  // from the root to a leaf, none of them shared with a copy
};

// Walks a map that does not change meanwhile, and must not outlive it. As RowCursor, but that it
// shows what is erased.
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
  std::vector<Step> path_;  // from the root to an entry; empty: nowhere
};

}  // namespace tilth
