// Names of threads, for operators who look which of them is busy: top -H.

#pragma once

#include <string>

namespace tilth {

// Names the calling thread. The system keeps 15 bytes of a name.
void name_thread(const std::string& name);

}  // namespace tilth
