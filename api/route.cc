#include "api/route.h"

namespace tilth {

HttpResponse answer_json(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace tilth
