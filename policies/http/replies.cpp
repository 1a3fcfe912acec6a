// What becomes of a reply: an answer, another try, an answer that failed, or the end.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include "calls.hpp"
#include "endings.hpp"
#include "reply_text.hpp"

namespace http {
namespace {

// A name may go on with a date or a version: gpt-5.4 is answered by gpt-5.4-2026-03-05, and gpt-5.4-mini is another
// model. A folder in front does not count: Qwen/Qwen3-8B.
bool is_called(const std::string& model, const std::string& asked) {
    const auto last = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
    const std::string given = last(model), wanted = last(asked);
    if (model.empty() || given == wanted) return true;
    if (!given.starts_with(wanted) || !std::strchr("-@:", given[wanted.size()])) return false;
    const std::string version = given.substr(wanted.size() + 1);
    return version == "latest" || version.find_first_not_of("0123456789.-") == std::string::npos;
}

// A usage that no such answer can have is no usage.
bool is_counted(const Completion& done) {
    const bool wrote = std::any_of(done.choices.begin(), done.choices.end(), [](const Choice& choice) {
        return (choice.finish == HONE_STOP || choice.finish == HONE_LENGTH) && !choice.text.empty();
    });
    return done.counted && done.tokens_in > 0 && (done.tokens_out > 0 || !wrote);
}

// Where a server does not take stop texts, or takes no notice of them: the answer is cut as if it had.
void end_at_stop(const std::vector<std::string>& stops, Choice& choice) {
    if (choice.finish != HONE_STOP && choice.finish != HONE_LENGTH) return;
    std::size_t first = std::string::npos;
    const std::size_t begin = begin_of_answer(choice.text);
    for (const std::string& stop : stops) first = std::min(first, choice.text.find(stop, begin));
    if (first == std::string::npos) return;
    choice.text.resize(first);
    choice.ids.clear(), choice.logp.clear();  // of the whole text
    choice.finish = HONE_STOP;
}

// Why a reply is no answer, for a server that passes it on.
int fault_of(const Reply& reply, const Complaint& complaint) {
    const long status = reply.status;
    if (reply.timed_out || status == 408 || status == 504) return HONE_FAULT_TIME;
    if (status == 429) return HONE_FAULT_LIMIT;
    if (status == 503 || status == 529) return HONE_FAULT_BUSY;
    if (complaint.is_of_length) return HONE_FAULT_CONTEXT;
    return complaint.is_of_request || (status >= 400 && status < 500) ? HONE_FAULT_REQUEST : HONE_FAULT_SERVER;
}

constexpr int most_unreadable = 2;  // answers to one question

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g s", seconds);
    return text;
}

constexpr double a_moment = 0.01;  // seconds

std::string dollars_text(double usd) {
    char text[32];
    std::snprintf(text, sizeof text, "$%.3g", usd);
    return text;
}

}  // namespace

void Calls::finished(const CallPtr& call, Reply reply) {
    under_way_.erase(call);
    const int before = std::exchange(call->fault, fault_of(reply, {}));
    if (reply.status != 0) answered_ = true;
    limit_.end(call->epoch, is_overload(reply));
    if (reply.status >= 200 && reply.status < 300) return answered(call, reply);
    if (reply.status != 0) return refused(call, reply);
    if (reply.too_long) return unreadable(call, reply, reply.error);
    if (reply.cut_off) settle_unknown(*call);
    else settle(*call, 0);
    if (reply.untrusted) return end(untrusted_text(settings_, reply));
    if (reply.cut_off)
        warn_once(std::string(reply.timed_out ? "a request was cut off by a time-out after it was sent"
                                              : "a connection broke after its request was sent") +
                  ": it may have been billed");
    // a last try that the deadline cuts says less than the answer before it
    const bool was_put_off = before == HONE_FAULT_LIMIT || before == HONE_FAULT_BUSY;
    if (was_put_off && reply.timed_out && left(*call) < a_moment) {
        call->fault = before;
        return fail(call, call->last_error);
    }
    again(call, reply, reply.error + (reply.timed_out ? " (options deadline and silence say how long)" : ""));
}

void Calls::answered(const CallPtr& call, const Reply& reply) {
    if (reply.streamed) return streamed(call, reply);
    const ReadText whole = read_text(reply.body);
    read(call, reply, whole.document, whole.fault);
}

void Calls::streamed(const CallPtr& call, const Reply& reply) {
    const nlohmann::json& document = call->stream->end();
    if (const std::string fault = call->stream->fault(); !fault.empty()) {
        settle_unknown(*call);
        warn_once("a stream ended before its answer did: it may have been billed");
        return again(call, reply, settings_.redacted(fault));
    }
    read(call, reply, document, "");
}

void Calls::read(const CallPtr& call, const Reply& reply, const nlohmann::json& document, const std::string& fault) {
    const auto completion = settings_.protocol->read(document);
    const bool failed = !member(document, "error").is_null();
    if (completion && !(failed && reply.streamed)) return succeeded(call, *completion);
    if (failed) return failed_within(call, reply, document["error"]);
    unreadable(call, reply,
               "the answer is no " + std::string(settings_.protocol->answer_name()) +
                   (fault.empty() ? "" : " (" + fault + ")") + ": " + settings_.redacted(reply.body).substr(0, 80));
}

// Some servers say with status 200, or within a stream, that they failed, or that the request is wrong. A status that
// such an error names counts as the reply's. Where a part of an answer came before, the request may have been billed.
void Calls::failed_within(const CallPtr& call, const Reply& reply, const nlohmann::json& error) {
    const Complaint complaint = read_complaint(settings_.redacted(
        nlohmann::json{{"error", error}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    Reply named = reply;
    if (complaint.status != 0) named.status = complaint.status;
    const Reply& counted = reply.streamed && call->stream->has_begun() ? reply : named;
    if (is_overload(named)) limit_.slow_down(call->epoch);
    if (reply.streamed && !complaint.is_of_request && !is_free(counted)) settle_unknown(*call);
    else settle(*call, 0);
    call->fault = fault_of(named, complaint);
    if (no_try_helps(call, counted, complaint)) return;
    const std::string with_status = ", with status " + std::to_string(reply.status) + ": " + complaint.message;
    if (complaint.status != 0 && !complaint.is_of_request && !worth_retrying(named))
        return fail(call, "the server refused the request" + with_status);
    if (!complaint.is_of_request) return again(call, counted, "the server failed" + with_status, complaint.retry_after);
    if (!sent_without(call, complaint.fields)) fail(call, "the server refused the request" + with_status);
}

// An answer that was given, and so was paid for, and is of no use: asking often would be dear.
void Calls::unreadable(const CallPtr& call, const Reply& reply, const std::string& reason) {
    settle_unknown(*call);
    call->last_error = reason + "; it may have been billed";
    if (!std::exchange(told_unreadable_, true)) warn_once(who() + ": " + call->last_error);
    if (++call->unreadable == most_unreadable) return fail(call, call->last_error);
    again(call, reply, call->last_error);
}

void Calls::succeeded(const CallPtr& call, const Completion& done) {
    note_model(settings_.redacted(done.model));
    const bool counted = is_counted(done), unknown = settings_.price.known && !done.usd && !counted;
    if (unknown)
        note(who() +
             ": the server does not say how many tokens it read and wrote: the cost is unknown, and what is missing "
             "counts as 0" +
             (std::isinf(host_.left()) ? "" : ", in the budget as the most that it could be"));
    const double by_price =
        settings_.price.of(done.tokens_in, done.tokens_cached, done.tokens_out, done.tokens_written);
    const double usd = settings_.price.is_own && counted ? by_price : done.usd.value_or(by_price);
    note_overbilled(std::max(usd, done.usd.value_or(0)), call->reserved);
    note_unpriced(usd);
    const bool is_most = unknown && !std::isinf(host_.left());  // and then no answer has a share of it
    if (is_most) settle_unknown(*call);
    else settle(*call, usd);
    const auto given = static_cast<std::uint32_t>(std::min<std::size_t>(done.choices.size(), call->count));
    const double share = 1.0 / given;  // a request's usage, spread over its answers
    for (std::uint32_t i = 0; i < given; ++i) {
        Choice choice = done.choices[i];
        if (choice.finish == HONE_ERROR) choice.fault = HONE_FAULT_SERVER;
        if (choice.finish == HONE_REFUSAL || choice.finish == HONE_ERROR) choice.text = who() + ": " + choice.text;
        choice.text = settings_.redacted(choice.text);  // answers too: some servers echo the key
        end_at_stop(call->question->stop, choice);
        const double tokens = choice.ids.empty() ? done.tokens_out * share : static_cast<double>(choice.ids.size());
        answers_.push_back({call->question->tag, call->member + i, std::move(choice), done.prompt_ids,
                            done.tokens_in * share, done.tokens_cached * share, tokens, is_most ? 0 : usd * share,
                            model_answered_});
        if (!kept_.on()) continue;
        if (const std::string fault = kept_.keep(asked(*call->question, call->member + i), answers_.back());
            !fault.empty())
            warn_once("answers are not kept: " + fault);
    }
    if (given < call->count) leave_out("n");  // nothing is lost: the record alone tells it
    for (std::uint32_t i = given; i < call->count; ++i) open(call->question, call->member + i, 1);
    --open_;
}

// Told once of a model in this process, and in the record of each of its policies.
void Calls::note_overbilled(double usd, double most) {
    constexpr double rounding = 1e-9;
    if (!settings_.price.known || usd <= most * (1 + rounding)) return;
    const std::string text = who() +
                             ": the server bills more than a request can cost by its price: " + dollars_text(usd) +
                             " where at most " + dollars_text(most) +
                             " were reserved, so that a budget may be exceeded; correct the price in hone.toml";
    if (overbilled_.empty()) notes_.insert(overbilled_ = text);
    if (!bills_.told_above_price.exchange(true)) warn_once(text);
}

// Where nobody said what it costs a budget cannot be kept beyond the answers that are under way.
void Calls::note_unpriced(double usd) {
    if (settings_.price.known) return;
    if (usd <= 0) return void(bills_.nothing = true);
    bills_.without_price = true;
    if (!std::isinf(host_.left())) end("the server bills " + dollars_text(usd) + " for an answer: " + no_price_text());
}

// A server may answer with another model than it was asked for, and may do so now and then.
void Calls::note_model(const std::string& model) {
    const std::string before = std::exchange(model_answered_, model);
    if (before.empty() && !is_called(model, settings_.model))
        note(who() + ": the server answers with another model: \"" + model + "\"");
    if (!before.empty() && before != model)
        note(who() + ": the server answered with \"" + before + "\" and then with \"" + model + "\"");
}

// Of this prompt, or of any.
bool Calls::no_try_helps(const CallPtr& call, const Reply& reply, const Complaint& complaint) {
    const bool flagged = reply.status == 403 && complaint.flagged;
    const std::string ending = flagged ? "" : ending_of(settings_, reply, complaint);
    if (flagged) fail(call, "403: a filter of the provider refused the prompt: " + complaint.message, HONE_REFUSAL);
    if (!ending.empty()) end(ending);
    return flagged || !ending.empty();
}

// A gateway that no longer waits for a model has asked the model.
void Calls::refused(const CallPtr& call, const Reply& reply) {
    const bool asked = reply.status == 504 || reply.status == 524;
    if (asked) settle_unknown(*call);
    else settle(*call, 0);
    if (asked) warn_once("a gateway gave up on an answer: the request may have been billed");
    const Complaint complaint = read_complaint(settings_.redacted(reply.body));
    const std::string status = std::to_string(reply.status);
    if (no_try_helps(call, reply, complaint)) return;
    if (!reply.location.empty())
        return fail(call, status + ": the server sends requests on to " + without_secrets(reply.location) +
                              "; put the address that answers into base_url");
    const std::string reason = status + ": " + complaint.message;
    call->fault = fault_of(reply, complaint);
    if (worth_retrying(reply)) return again(call, reply, reason, complaint.retry_after);
    if ((reply.status == 400 || reply.status == 422) && sent_without(call, complaint.fields)) return;
    fail(call, reason);
}

// Sends again without the fields that a server complains of. Requests that were under way when a field was left out
// complain later, and are sent again too. False where the request held none, or cannot do without them.
bool Calls::sent_without(const CallPtr& call, const std::vector<std::string>& fields) {
    bool changed = false;
    for (const std::string& name : fields) {
        const std::string field = field_that_can_be_left_out(name);
        if (field.empty() || call->without.contains(field)) continue;
        changed = true;
        if (leave_out(field)) warn_once(left_out_text(field));
    }
    if (changed) waiting_.push_front(call);
    return changed;
}

// Whether only the deadline ends the tries. An address that never answered may be a wrong one.
bool Calls::waits_for(const Reply& reply) { return is_free(reply) && (answered_ || !reply.unsent); }

void Calls::again(const CallPtr& call, const Reply& reply, std::string reason, double asked_in_body) {
    call->last_error = std::move(reason);
    const double asked = std::max({reply.retry_after, asked_in_body, is_free(reply) ? wait_told(call->last_error) : 0}),
                 wait = backoff_.wait(call->tries, asked);
    call->retry_after = asked;
    if (asked > 0 && asked >= left(*call))
        call->last_error += "; the server asks to wait " + seconds_text(asked) + ", and the deadline of " +
                            seconds_text(settings_.deadline) + " ends before";
    if (reply.unsent && !answered_) call->last_error += "; is base_url right? It is " + settings_.address.shown();
    const bool waits = waits_for(reply);
    if (!waits) ++call->counted;
    if (call->counted >= static_cast<int>(settings_.tries) || wait >= left(*call)) return fail(call, call->last_error);
    if (waits && waited_for_.insert(reply.status).second)
        warn_once(who() + " is asked again until the deadline of " + seconds_text(settings_.deadline) + ": " +
                  call->last_error);
    pause(call, wait, reply.status == 429);
}

// Its deadline runs.
void Calls::pause(const CallPtr& call, double seconds, bool at_limit) {
    if (at_limit) at_limit_[call] = now() + seconds;
    transfers_.after(seconds, [this, call] {
        at_limit_.erase(call);
        waiting_.push_front(call);
    });
}

void Calls::fail(const CallPtr& call, const std::string& reason, int finish) {
    const std::string text = settings_.redacted(who() + ", after " + std::to_string(call->tries) +
                                                (call->tries == 1 ? " try: " : " tries: ") + reason);
    for (std::uint32_t i = 0; i < call->count; ++i)
        answers_.push_back(
            {call->question->tag, call->member + i, {text, finish, {}, {}, call->fault, call->retry_after}, {}});
    --open_;
}

}  // namespace http
