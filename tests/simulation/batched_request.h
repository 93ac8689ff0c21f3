// Requests as parts of a batch: in HTTP, with references to what requests before them make.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/chooser.h"
#include "tests/simulation/plain_request.h"

namespace tilth::testing {

struct BatchedWish {
  std::optional<PlainRequest> asked;  // with references; null: it reads the record of that path
  std::optional<std::vector<std::string>> if_match = {};
  std::string subject = {};             // the id of the record that is read
  std::string method, path, body = {};  // of the batch's API, without what is added to the query
  std::vector<std::size_t> refers_to = {};

  bool reads() const { return !asked; }
};

// Those of the wishes that a batch can carry. Many of them refer to records that others make.
std::vector<BatchedWish> batched(World& world, const std::vector<Wish>& wishes);

// The batch's body. The request at a place has the id "rPLACE" and the query "item=PLACE".
std::string body_of(const std::vector<BatchedWish>& wishes, bool stops_on_error);

// The id that a text is, or that its reference stands for; empty: of none that is known.
std::string with_ids(const std::string& id,
                     const std::function<std::string(std::size_t place)>& id_of);
// What a request asks for once it is known which ids the references stand for.
PlainRequest with_ids(const PlainRequest& asked,
                      const std::function<std::string(std::size_t place)>& id_of);

// Whether that still refers to anything.
bool refers(const PlainRequest& asked);

}  // namespace tilth::testing
