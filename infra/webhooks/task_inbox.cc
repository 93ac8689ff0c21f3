#include "infra/webhooks/task_inbox.h"

#include <utility>

namespace tilth {

bool TaskInbox::post(Task task) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  tasks_.push_back(std::move(task));
  return true;
}

TaskInbox::Posted TaskInbox::post_if_room(Task task, std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (closed_) return Posted::kClosed;
  if (tasks_.size() >= most) return Posted::kFull;
  tasks_.push_back(std::move(task));
  return Posted::kTaken;
}

std::vector<TaskInbox::Task> TaskInbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(tasks_, {});
}

void TaskInbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  tasks_.clear();
}

}  // namespace tilth
