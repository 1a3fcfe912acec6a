#include "judge/service/job.hpp"
#include "base/frames.hpp"

namespace hone {

Json Job::to_json() const {
    return {{"type", "job"},
            {"id", id},
            {"attempt", attempt},
            {"task", hone::to_json(task)},
            {"candidate", hone::to_json(candidate)},
            {"against", against ? hone::to_json(*against) : Json()}};
}

namespace {

// The JSON library turns any number into an int, also one that none can hold.
int count_from_json(const Json& value) {
    if (!value.is_number_integer() || value < 0 || value > 1'000'000)
        throw Error(Blame::environment, "frame", "\"attempt\" is no count");
    return value;
}

}  // namespace

Job Job::from_json(const Json& header) {
    return understand([&] {
        Job job{header.at("id"),
                count_from_json(header.at("attempt")),
                task_from_json(header.at("task")),
                candidate_from_json(header.at("candidate")),
                {}};
        if (const auto against = header.find("against"); against != header.end() && !against->is_null())
            job.against = candidate_from_json(*against);
        return job;
    });
}

}  // namespace hone
