// Runs with a fault each: what docs/faults.md has a row of.
#pragma once
#include <string>
#include <vector>

namespace hone::test {

inline const std::string
    program = "run:policy(function() return '3 1 4' end)",
    remote = "run:policy('http', { model = 'openai/m', several = 'no', concurrency = 1, tries = 1 })",
    impatient =
        "run:policy('http', { model = 'openai/m', several = 'no', tries = 1, deadline = mended and "
        "0 or 2 })",
    evaluate =
        "run:evaluate { policy = policy, prompt = prompt, judge = judge, suite = suite, row = 'f', "
        "group = 4, max_tokens = 16 }",
    collect =
        "run:collect { teacher = policy, suite = suite, judge = judge, prompt = prompt, trials = 4, row = 'f', stage = "
        "'f', max_tokens = 16 }",
    answered = R"({"body": {"choices": [{"message": {"content": "3 1 4"}}]}})",
    step =
        "run:contrastive_rl { policy = policy, prompt = prompt, judge = judge, suite = suite, stage = "
        "'f', steps = 1, group = 8, max_tokens = 16, exemplars = 'none', shape = shape }";

struct Case {
    const char* fault;             // as the first column names it
    std::string server = "";       // how it answers at first (scripted_server.hpp); "none": nobody listens
    std::string environment = "";  // HONE_FAULT at first; "none" afterwards
    std::string policy = program;
    std::string body = evaluate;
    std::string parts = "";      // replaces some of the script's
    const char* name = "f";      // of the gtest
    int kilobytes = 0;           // of the disk at first; 0: enough
    std::string budget = "nil";  // of the run at first, in US dollars
};

inline std::string failing(const std::string& reply) { return R"({"then": )" + reply + "}"; }
inline std::string complaint(int status, const std::string& error) {
    return failing(R"({"status": )" + std::to_string(status) + R"(, "body": {"error": )" + error + "}}");
}

inline const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {.fault = "no network", .server = "none", .policy = remote, .name = "NoNetwork"},
        {.fault = "429: slow down",
         .server = complaint(429, R"({"message": "slow down"})"),
         .policy = impatient,
         .name = "SlowDown"},
        {.fault = "500: the server is down",
         .server = complaint(500, R"({"message": "down"})"),
         .policy = remote,
         .name = "ServerDown"},
        {.fault = "400: the prompt is too long",
         .server = complaint(400, R"({"message": "too long"})"),
         .policy = remote,
         .name = "TooLong"},
        {.fault = "a gateway's page", .server = failing(R"({"body": "<html>"})"), .policy = remote, .name = "Page"},
        {.fault = "answers are cut", .server = failing(R"({"cut": 20})"), .policy = remote, .name = "Cut"},
        {.fault = "the server is silent", .server = failing(R"({"delay": 5})"), .policy = impatient, .name = "Silent"},
        {.fault = "a redirect",
         .server = failing(R"({"status": 302, "body": ""})"),
         .policy = remote,
         .name = "Redirect"},
        {.fault = "401: a wrong key",
         .server = complaint(401, R"({"message": "no"})"),
         .policy = remote,
         .name = "WrongKey"},
        {.fault = "404: no such model",
         .server = complaint(404, R"({"message": "no"})"),
         .policy = remote,
         .name = "NoModel"},
        {.fault = "402: the quota is spent",
         .server = complaint(402, R"({"message": "pay"})"),
         .policy = remote,
         .name = "Quota"},
        {.fault = "402 while answers are under way",
         .server =
             R"({"steps": [{"together": 4, "delay": 0.5, "body": {"choices": [{"message": {"content": "3 1 4"}}]}},
                      {"together": 4, "delay": 0.5, "body": {"choices": [{"message": {"content": "3 1 4"}}]}},
                      {"together": 4, "delay": 0.5, "body": {"choices": [{"message": {"content": "3 1 4"}}]}},
                      {"together": 4, "status": 402, "body": {"error": {"message": "pay"}}}]})",
         .policy = "run:policy('http', { model = 'openai/m', several = 'no', concurrency = 4, tries = 1 })",
         .name = "QuotaInMidRun"},
        {.fault = "the budget is spent",
         .server = R"({"text": "3 1 4"})",
         .policy = "run:policy('http', { model = 'openai/gpt-5.4', several = 'no', concurrency = 1 })",
         .name = "Budget",
         .budget = "0.0008"},
        {.fault = "one request of four fails",
         .server = R"({"steps": [{"status": 500, "body": ""}], "text": "3 1 4"})",
         .policy = remote,
         .name = "OneOfFour"},
        {.fault = "one request of a step fails",
         .server = R"({"steps": [{"status": 500, "body": ""}], "text": "3 1 4"})",
         .policy = remote,
         .body = step,
         .name = "OneOfAStep"},
        {.fault = "half of a step's requests fail",
         .server = R"({"steps": [{"status": 500, "body": ""}, {"status": 500, "body": ""}, {"status": 500, "body": ""},
                      {"status": 500, "body": ""}], "text": "3 1 4"})",
         .policy = remote,
         .body = step,
         .name = "HalfOfAStep"},
        {.fault = "the last answer of a corpus is lost once",
         .server = R"({"steps": [)" + answered + R"(, {"status": 500, "body": ""}, {"status": 500, "body": ""}],
                      "text": "3 1 4"})",
         .policy = remote,
         .body = collect,
         .name = "LastOfACorpus"},
        {.fault = "the network is gone from the second answer of a corpus on",
         .server = R"({"steps": [)" + answered + R"(], "then": {"status": 500, "body": ""}})",
         .policy = remote,
         .body = collect,
         .name = "GoneInACorpus"},
        {.fault = "the timer reads NaN", .environment = "nan", .name = "NaN"},
        {.fault = "a dead meter", .environment = "break", .name = "DeadMeter"},
        {.fault = "a meter loses its readings", .environment = "fail", .name = "LostReadings"},
        {.fault = "a coarse meter", .environment = "coarse", .name = "CoarseMeter"},
        {.fault = "a busy machine", .environment = "disturbed", .name = "Busy"},
        {.fault = "a full disk",
         .policy = "run:policy(function(r) return r.member .. (' 1'):rep(10000) end)",
         .body =
             "run:evaluate { policy = policy, prompt = prompt, judge = judge, suite = suite, row = 'f', group = 60 }",
         .name = "FullDisk",
         .kilobytes = 300},
        {.fault = "a policy that knows nothing yet",
         .policy = "run:policy('bigram')",
         .body = step,
         .name = "KnowsNothing"},
        {.fault = "all answers are cut at max_tokens",
         .server =
             failing(R"({"body": {"choices": [{"message": {"content": "```fake\n3 1"}, "finish_reason": "length"}]}})"),
         .policy = remote,
         .parts = "prompt = run:prompt(function() return { { role = 'user', text = 'three numbers' } } end)",
         .name = "AllCut"},
        {.fault = "answers without a program",
         .server = failing(
             R"({"body": {"choices": [{"message": {"content": "I cannot do that."}, "finish_reason": "stop"}]}})"),
         .policy = remote,
         .parts = "prompt = run:prompt(function() return { { role = 'user', text = 'three numbers' } } end)",
         .name = "NoProgram"},
        {.fault = "a search finds nothing",
         .policy = "run:policy(function() return 'no program' end)",
         .body = step,
         .name = "FindsNothing"},
        {.fault = "an empty corpus",
         .body = "local corpus = mended and run:collect { teacher = policy, suite = suite, judge = judge, trials = 1 } "
                 "or { items = {}, samples = {} }\n"
                 "run:sft { policy = run:policy('bigram'), prompt = prompt, corpus = corpus, epochs = 1 }",
         .name = "EmptyCorpus"},
        {.fault = "a learning rate without end",
         .body =
             "local corpus = run:collect { teacher = policy, suite = suite, judge = judge, trials = 1 }\n"
             "run:sft { policy = run:policy('bigram'), prompt = prompt, corpus = corpus, updates = 50, lr = mended and "
             "0.1 or 1e300 }",
         .name = "NoFiniteGradient"},
        {.fault = "a reward that is edited between two starts",
         .body = step,
         .parts = "shape = run:shaper(function(j) return (mended and -1 or 1) * j.log_speedup.lower end)",
         .name = "EditedReward"},
        {.fault = "wrong exemplars",
         .body =
             "run:evaluate { policy = policy, prompt = prompt, judge = judge, suite = suite, row = 'f', group = 4,\n"
             "    exemplars = mended and 'none' or function() return { 'softmax' } end }",
         .name = "WrongExemplars"},
        {.fault = "a policy crashes", .policy = "run:policy('mutant')", .name = "PolicyCrash"},
        {.fault = "a prompt crashes", .parts = "prompt = run:prompt('mutant')", .name = "PromptCrash"},
        {.fault = "a shaper crashes", .body = step, .parts = "shape = run:shaper('mutant')", .name = "ShaperCrash"},
        {.fault = "a timer crashes", .environment = "crash", .name = "TimerCrash"},
        {.fault = "a verifier crashes",
         .policy = "run:policy(function() return '3 1 4 die' end)",
         .name = "VerifierCrash"},
        {.fault = "a reference crashes", .parts = "reference = run:reference('mutant')", .name = "ReferenceCrash"},
    };
    return all;
}

// A remote model does not know the marks of the prompt compact.
inline std::string script_of(const Case& one) {
    const bool asks = one.policy.find("'http'") != std::string::npos;
    const std::string prompt =
        asks ? "run:prompt(function() return { { role = 'user', text = 'three numbers' }, fenced = false } end)"
             : "run:prompt('compact')";
    return "local hone = require 'hone'\nlocal mended = io.open('mended')\nlocal run = hone.run { name = 'f', seed = "
           "1, "
           "budget = not mended and " +
           one.budget + " or nil }\nlocal prompt, reference, shape = " + prompt + ", run:reference('lua')\n" +
           one.parts +
           "\nlocal judge = run:judge { verifier = run:verifier('fake'), timer = run:timer('faulty'), reference = "
           "reference, seed = '7', benches = 1 }\nlocal suite = run:suite('fake', { only = { 'axpy' } })\n"
           "local policy = " +
           one.policy + "\n" + one.body + "\n";
}

}  // namespace hone::test
