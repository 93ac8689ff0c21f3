// The memory that all read models of a node share in RocksDB.

#pragma once

#include <cstddef>
#include <memory>

namespace tilth {

// Memory that the databases of one process share.
class RocksMemory {
 public:
  // `cache_bytes` for the block cache, `write_bytes` for writes that are not yet flushed.
  RocksMemory(std::size_t cache_bytes, std::size_t write_bytes);
  ~RocksMemory();

  struct Held {
    std::size_t cache_bytes = 0;  // blocks of tables, with their indexes and filters
    std::size_t write_bytes = 0;
  };
  // Threads: any.
  Held held() const;

  struct Parts;
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
