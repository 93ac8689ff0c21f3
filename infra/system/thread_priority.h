// Which threads get the processor first when there is more to do than it can.

#pragma once

namespace tilth {

// From now on the calling thread gets the processor soon, and in short slices: sooner than threads
// that compute and did not call this. What it gets in all stays the same. For threads that others
// wait for; those that it starts are not of them. Linux before 6.12 ignores it, and so do systems
// that forbid it.
void take_short_slices();

// From now on the calling thread has a lower priority than all threads that did not call this. For
// threads whose work is not urgent. It must not hold a lock for long that the others need: they
// would wait for it as if they had its priority.
void lower_thread_priority();

}  // namespace tilth
