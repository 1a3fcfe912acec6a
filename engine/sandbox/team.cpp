#include "sandbox/team.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace hone {
namespace {

std::filesystem::path task_folder(pid_t process) { return "/proc/" + std::to_string(process) + "/task"; }

// The first thread of a process stays in the list when it has ended; it has no memory then.
bool leader_lives(pid_t process) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
    return pages > 0;
}

}  // namespace

Team::Team(pid_t process, std::size_t threads) : process_(process), size_(threads) {
    for (const pid_t thread : listed()) {
        Seat& seat = seats_.emplace_back(Seat{thread, {}, {}});
        sched_getaffinity(thread, sizeof seat.cores, &seat.cores);
    }
}

std::vector<pid_t> Team::listed() const {
    std::vector<pid_t> list;
    std::error_code gone;
    for (std::filesystem::directory_iterator at(task_folder(process_), gone), end; !gone && at != end;
         at.increment(gone))
        list.push_back(static_cast<pid_t>(std::stol(at->path().filename().string())));
    return list;
}

bool Team::sits(pid_t thread) const {
    return std::any_of(seats_.begin(), seats_.end(), [&](const Seat& seat) { return seat.thread == thread; });
}

bool Team::park(pid_t thread, std::uint64_t question) {
    if (leaving_.contains(thread)) return false;
    if (!sits(thread)) settle();
    for (Seat& seat : seats_)
        if (seat.thread == thread) seat.question = question;  // a stop withdraws a question; continued, it asks again
    return true;
}

std::optional<std::uint64_t> Team::replace() {
    for (Seat& seat : seats_) {
        if (!seat.question) continue;
        leaving_.insert(std::exchange(seat.thread, 0));
        return std::exchange(seat.question, std::nullopt);
    }
    return std::nullopt;
}

void Team::settle() {
    if (leaving_.empty() && !sits(0)) return;  // nobody was replaced
    const std::vector<pid_t> list = listed();
    std::erase_if(leaving_, [&](pid_t thread) { return std::find(list.begin(), list.end(), thread) == list.end(); });
    for (Seat& seat : seats_) {
        const auto is_new = [&](pid_t thread) { return !sits(thread) && !leaving_.contains(thread); };
        const auto newcomer = seat.thread ? list.end() : std::find_if(list.begin(), list.end(), is_new);
        if (newcomer == list.end()) continue;
        seat.thread = *newcomer;
        sched_setaffinity(seat.thread, sizeof seat.cores, &seat.cores);
    }
}

bool Team::has(pid_t thread) const {
    std::error_code gone;
    return std::filesystem::exists(task_folder(process_) / std::to_string(thread), gone);
}

bool Team::complete() const {
    const std::vector<pid_t> list = listed();
    const auto stays = [&](pid_t thread) { return !leaving_.contains(thread); };
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), stays)) >= size_ && leader_lives(process_);
}

}  // namespace hone
