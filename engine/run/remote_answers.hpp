// run/remote_answers.hpp: policies that work elsewhere write at the same time, each asked on a thread of its own.
// Whoever made the object takes what they give, on one thread.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#include "parts/policy.hpp"

namespace hone {

class RemoteAnswers {
public:
    struct Asked {
        Policy* policy;
        const std::vector<SampleRequest>* requests;  // both outlive this; nobody else enters the policy meanwhile
    };
    struct Given {
        std::size_t by;  // the number of who was asked
        Answer answer;
    };
    explicit RemoteAnswers(const std::vector<Asked>&);  // begins to ask
    ~RemoteAnswers() { end(); }
    RemoteAnswers(const RemoteAnswers&) = delete;

    // What has come since the last call, after at most so many seconds in which nothing came. Where one policy failed,
    // the others are asked to their end: what they give is kept, and need not be asked for again.
    std::vector<Given> take(double seconds);
    bool writes() const;   // some policy still gives
    bool ended() const;    // all have given what they could, and all of it was taken
    void end();            // asks for no more, and waits for the threads
    void rethrow() const;  // what the first of the policies that failed has thrown; once ended
    // Of those that failed since the last call, in words: for people who need not wait for the others.
    std::vector<std::string> failures();

private:
    struct One {
        std::thread thread;
        std::exception_ptr thrown;
        bool ended = false, told = false;
    };
    void ask(const Asked&, std::size_t number);

    std::vector<One> all_;
    mutable std::mutex mutex_;  // of all_ (but its threads) and given_
    std::condition_variable came_;
    std::vector<Given> given_;
    std::atomic<bool> stop_ = false;
};

}  // namespace hone
