#include "infra/rocksdb/shared_map.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kWidth = 32;           // entries of a node
constexpr std::size_t kPageBytes = 8 << 10;  // beyond, a node of several entries is split
constexpr std::uint32_t kErased = UINT32_MAX;

}  // namespace

// Sorted entries in one buffer, so that all of them are copied at once.
class SharedMap::Page {
 public:
  std::size_t size() const { return size_; }
  bool is_full() const { return size_ == kWidth || (size_ > 1 && bytes_.size() > kPageBytes); }

  std::string_view key(std::size_t i) const { return {start(i) + kHead, sizes(i).key}; }
  Value value(std::size_t i) const {
    const auto [key_size, value_size] = sizes(i);
    if (value_size == kErased) return std::nullopt;
    return std::string_view(start(i) + kHead + key_size, value_size);
  }

  // The first entry at or after `key`, and whether it has that key.
  struct Found {
    std::size_t at;
    bool same;
  };
  Found find(std::string_view key) const {
    std::size_t first = 0;
    for (std::size_t count = size_; count > 0;) {
      const auto half = count / 2;
      const int order = this->key(first + half).compare(key);
      if (order == 0) return {first + half, true};
      if (order < 0) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return {first, false};
  }

  void insert(std::size_t i, std::string_view key, Value value) {
    const auto place = places_.begin() + static_cast<std::ptrdiff_t>(i);
    std::copy_backward(place, places_.begin() + static_cast<std::ptrdiff_t>(size_),
                       places_.begin() + static_cast<std::ptrdiff_t>(size_ + 1));
    ++size_;
    *place = append(key, value);
  }

  void replace(std::size_t i, Value value) {
    const auto [key_size, value_size] = sizes(i);
    if (!value && value_size == kErased) return;
    if (value && value->size() == value_size) {
      std::memcpy(bytes_.data() + places_[i] + kHead + key_size, value->data(), value_size);
      return;
    }
    unused_ += entry_size(i);
    const std::string own_key(key(i));  // bytes_ may move
    places_[i] = append(own_key, value);
    if (unused_ > bytes_.size() / 2) *this = part(0, size_);
  }

  // A page of the entries from `first` up to `end`.
  Page part(std::size_t first, std::size_t end) const {
    Page page;
    std::size_t bytes = 0;
    for (auto i = first; i < end; ++i) bytes += entry_size(i);
    page.bytes_.reserve(bytes + bytes / 4);
    for (auto i = first; i < end; ++i) {
      page.places_[page.size_++] = static_cast<std::uint32_t>(page.bytes_.size());
      page.bytes_.append(start(i), entry_size(i));
    }
    return page;
  }

 private:
  struct Sizes {
    std::uint32_t key;
    std::uint32_t value;  // kErased: none
  };
  static constexpr std::size_t kHead = sizeof(Sizes);

  const char* start(std::size_t i) const { return bytes_.data() + places_[i]; }
  Sizes sizes(std::size_t i) const {
    Sizes sizes;
    std::memcpy(&sizes, start(i), kHead);
    return sizes;
  }
  std::size_t entry_size(std::size_t i) const {
    const auto [key_size, value_size] = sizes(i);
    return kHead + key_size + (value_size == kErased ? 0 : value_size);
  }

  std::uint32_t append(std::string_view key, Value value) {
    const auto place = static_cast<std::uint32_t>(bytes_.size());
    const Sizes sizes{static_cast<std::uint32_t>(key.size()),
                      value ? static_cast<std::uint32_t>(value->size()) : kErased};
    bytes_.append(reinterpret_cast<const char*>(&sizes), kHead);
    bytes_.append(key);
    if (value) bytes_.append(*value);
    return place;
  }

  std::size_t size_ = 0;
  std::size_t unused_ = 0;                    // bytes of entries that were replaced
  std::array<std::uint32_t, kWidth> places_;  // NOLINT: `size_` are in use
  std::string bytes_;
};

// In an inner node the key of each entry is the lowest one that its child may hold.
struct SharedMap::Node {
  Page page = {};
  std::vector<Link> children = {};  // none in a leaf
  mutable std::atomic<std::uint32_t> links = 0;

  Node() = default;
  Node(Page own_page, std::vector<Link> own_children)
      : page(std::move(own_page)), children(std::move(own_children)) {}

  bool is_leaf() const { return children.empty(); }
  std::size_t child_for(std::string_view key) const {
    const auto [at, same] = page.find(key);
    return same ? at : at - 1;  // the first child's key is empty
  }
};

void intrusive_ptr_add_ref(const SharedMap::Node* node) noexcept {
  node->links.fetch_add(1, std::memory_order_relaxed);
}

void intrusive_ptr_release(const SharedMap::Node* node) noexcept {
  if (node->links.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node;
}

// The node, copied first if it is shared.
SharedMap::Node& SharedMap::own(Link& link) {
  // With a count of 1 all other holders are done with it, and only a holder of a link can copy it.
  if (link->links.load(std::memory_order_acquire) > 1) {
    link = Link(new Node(link->page, link->children));
  }
  return *link;
}

void SharedMap::split(Node& parent, std::size_t child) {
  Node& left = own(parent.children[child]);
  const auto half = left.page.size() / 2, size = left.page.size();
  Link right(new Node(left.page.part(half, size), {}));
  if (!left.is_leaf()) {
    const auto middle = left.children.begin() + static_cast<std::ptrdiff_t>(half);
    right->children.assign(std::make_move_iterator(middle),
                           std::make_move_iterator(left.children.end()));
    left.children.erase(middle, left.children.end());
  }
  left.page = left.page.part(0, half);
  parent.page.insert(child + 1, right->page.key(0), std::string_view());
  parent.children.insert(parent.children.begin() + static_cast<std::ptrdiff_t>(child + 1),
                         std::move(right));
}

bool SharedMap::find(std::string_view key, Value& value) const {
  const Node* node = root_.get();
  if (node == nullptr) return false;
  while (!node->is_leaf()) node = node->children[node->child_for(key)].get();
  const auto [at, same] = node->page.find(key);
  if (!same) return false;
  value = node->page.value(at);
  return true;
}

void SharedMap::put(std::string_view key, Value value) { Filler(*this).put(key, value); }

// Splits full nodes on the way down, so that a parent always has room to split a child.
SharedMap::Node& SharedMap::Filler::leaf_for(std::string_view key) {
  const auto leads_there = [&](const Step& step) {
    return !step.node->page.is_full() && (!step.end || key < *step.end);
  };
  while (!path_.empty() && !leads_there(path_.back())) path_.pop_back();
  if (path_.empty()) {
    auto& root = map_.root_;
    if (root == nullptr) root = Link(new Node);
    if (root->page.is_full()) {
      Link above(new Node);
      above->page.insert(0, {}, std::string_view());
      above->children.push_back(std::move(root));
      root = std::move(above);
    }
    path_.push_back({&own(root), std::nullopt});
  }
  while (!path_.back().node->is_leaf()) {
    auto [node, end] = path_.back();
    auto child = node->child_for(key);
    if (node->children[child]->page.is_full()) {
      split(*node, child);
      child = node->child_for(key);
    }
    if (child + 1 < node->page.size()) end = node->page.key(child + 1);
    path_.push_back({&own(node->children[child]), end});
  }
  return *path_.back().node;
}

void SharedMap::Filler::put(std::string_view key, Value value) {
  constexpr std::size_t kOverhead = 24;  // of an entry, with its share of half-full pages
  auto& page = leaf_for(key).page;
  const auto [at, same] = page.find(key);
  if (same) {
    map_.bytes_ += value ? value->size() : 0;
    map_.bytes_ -= page.value(at).value_or(std::string_view()).size();
    page.replace(at, value);
  } else {
    map_.bytes_ += kOverhead + key.size() + (value ? value->size() : 0);
    page.insert(at, key, value);
  }
}

void SharedMap::Cursor::descend(std::string_view key) {
  path_.clear();
  const Node* node = root_;
  for (; node != nullptr && !node->is_leaf(); node = node->children[path_.back().at].get()) {
    path_.push_back({node, node->child_for(key)});
  }
  if (node != nullptr) path_.push_back({node, node->page.find(key).at});
}

// Moves from an end of a node to the nearest entry of the next leaf, in the direction of iteration.
void SharedMap::Cursor::leave(bool forward) {
  path_.pop_back();
  while (!path_.empty()) {
    auto& [node, at] = path_.back();
    if (forward ? at + 1 < node->page.size() : at > 0) {
      forward ? ++at : --at;
      return go_to_end(node->children[at].get(), forward);
    }
    path_.pop_back();
  }
}

void SharedMap::Cursor::go_to_end(const Node* node, bool first) {
  while (true) {
    const auto at = first ? 0 : node->page.size() - 1;
    path_.push_back({node, at});
    if (node->is_leaf()) return;
    node = node->children[at].get();
  }
}

void SharedMap::Cursor::seek(std::string_view key) {
  descend(key);
  if (valid() && path_.back().at == path_.back().node->page.size()) leave(true);
}

void SharedMap::Cursor::seek_for_prev(std::string_view key) {
  descend(key);
  if (!valid()) return;
  const auto& [leaf, at] = path_.back();
  if (at < leaf->page.size() && leaf->page.key(at) == key) return;
  prev();
}

void SharedMap::Cursor::next() {
  if (++path_.back().at == path_.back().node->page.size()) leave(true);
}

void SharedMap::Cursor::prev() {
  if (path_.back().at == 0) {
    leave(false);
  } else {
    --path_.back().at;
  }
}

std::string_view SharedMap::Cursor::key() const {
  return path_.back().node->page.key(path_.back().at);
}

SharedMap::Value SharedMap::Cursor::value() const {
  return path_.back().node->page.value(path_.back().at);
}

}  // namespace tilth
