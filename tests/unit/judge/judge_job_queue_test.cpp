// Which bench gets which job.
#include <gtest/gtest.h>
#include <cmath>
#include "judge/service/job_queue.hpp"

namespace hone {
namespace {

struct Queue {
    JobQueue jobs;
    int made = 0;
    double now = 100;
    void push(const std::string& task, int n = 1) {
        for (int i = 0; i < n; ++i)
            jobs.push({{"id", task + std::to_string(made++)}, {"task", {{"name", task}, {"hash", "h"}}}}, now);
    }
    std::string next(int bench, double idle_since = 99.9) {
        const auto job = jobs.next(bench, idle_since, now);
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

TEST(JobQueue, ABenchThatHasWaitedLongEnoughLearnsWhatThereIs) {
    Queue q;
    q.push("a", 2);
    EXPECT_EQ(q.next(0), "a0");
    EXPECT_EQ(q.next(1, 0), "none");  // idle for long, but jobs have only just come
    q.now = 100.4;
    EXPECT_EQ(q.next(1, 0), "none");
    EXPECT_EQ(q.jobs.impatient_at(0), 100.5);
    q.now = 100.5;
    EXPECT_EQ(q.next(1, 100.2), "none");
    EXPECT_EQ(q.next(1, 0), "a1");
    EXPECT_TRUE(std::isinf(q.jobs.impatient_at(0)));
}

TEST(JobQueue, NoJobIsOvertakenForEver) {
    Queue q;
    q.push("a");
    EXPECT_EQ(q.next(0), "a0");
    q.push("b"), q.push("a", 20);
    for (int i = 0; i < 16; ++i) EXPECT_EQ(q.next(0), "a" + std::to_string(i + 2));
    EXPECT_EQ(q.next(0), "b1");
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
    EXPECT_THROW(q.push({{"id", "x"}}, 0), Json::exception);
    EXPECT_TRUE(q.empty());
}

}  // namespace
}  // namespace hone
