#include "app/serve.h"

#include "app/cli/complain.h"

namespace tilth {

int serve(const Config&) {
  cli::complain("This version of tilth does not serve yet.");
  return 1;
}

}  // namespace tilth
