// Which bench gets which job.
#include <gtest/gtest.h>
#include "judge/job_queue.hpp"

namespace hone {
namespace {

struct Queue {
    JobQueue jobs;
    int made = 0;
    void push(const std::string& task, int n = 1) {
        for (int i = 0; i < n; ++i) jobs.push({{"id", task + std::to_string(made++)}, {"task", {{"name", task}, {"hash", "h"}}}});
    }
    std::string next(int bench) {
        const auto job = jobs.next(bench);
        return job ? job->at("id").get<std::string>() : "none";
    }
};

TEST(JobQueue, OneBenchTakesThemInOrder) {
    Queue q;
    q.push("a"), q.push("b"), q.push("a");
    EXPECT_EQ(q.next(0), "a0");
    EXPECT_EQ(q.next(0), "a2");  // whose task it knows
    EXPECT_EQ(q.next(0), "b1");
    EXPECT_EQ(q.next(0), "none");
}

TEST(JobQueue, ATaskGoesToTheBenchThatKnowsIt) {
    Queue q;
    q.push("a"), q.push("b"), q.push("b"), q.push("a");
    EXPECT_EQ(q.next(0), "a0");
    EXPECT_EQ(q.next(1), "b1");
    EXPECT_EQ(q.next(1), "b2");
    EXPECT_EQ(q.next(1), "none");  // one job is not worth learning its task
    EXPECT_EQ(q.next(0), "a3");
}

TEST(JobQueue, ManyJobsOfATaskAreWorthLearningIt) {
    Queue q;
    q.push("a", 8);
    EXPECT_EQ(q.next(0), "a0");  // seven wait
    EXPECT_EQ(q.next(1), "a1");  // six
    EXPECT_EQ(q.next(2), "a2");  // five: not more than two for each of three
    EXPECT_EQ(q.next(3), "none");
    EXPECT_EQ(q.next(1), "a3");
}

TEST(JobQueue, WhatABenchKnewIsForgottenWithItsProcess) {
    Queue q;
    q.push("a", 2);
    EXPECT_EQ(q.next(0), "a0");
    EXPECT_EQ(q.next(1), "none");
    q.jobs.forget(0);
    EXPECT_EQ(q.next(1), "a1");
}

TEST(JobQueue, AJobOfNoTaskIsRefused) {
    JobQueue q;
    EXPECT_THROW(q.push({{"id", "x"}}), Json::exception);
    EXPECT_TRUE(q.empty());
}

}  // namespace
}  // namespace hone
