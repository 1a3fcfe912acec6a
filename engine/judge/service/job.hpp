// judge/service/job.hpp: one candidate to be judged, as it travels in frames.
#pragma once
#include <optional>
#include <string>
#include "domain/candidate.hpp"
#include "domain/task.hpp"

namespace hone {

struct Job {
    std::string id;
    int attempt = 1;
    Task task;
    Candidate candidate;
    std::optional<Candidate> against;

    Json to_json() const;               // header of a frame of type "job"
    static Job from_json(const Json&);  // throws Error(environment) if it is none
};

}  // namespace hone
