#include "calls.hpp"
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include "http/provider/providers.hpp"
#include "reply_text.hpp"

namespace http {
namespace {

std::string request_body(const Settings& settings, const Request& request) {
    nlohmann::json body = settings.protocol->body(settings, request);
    body.merge_patch(settings.body);  // null leaves a field out
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// What a model is known not to take.
LeftOut known_of(const Settings& settings) {
    LeftOut known = settings.protocol->lacks();
    known.merge(refused_by_family(settings.provider, settings.model));
    return known;
}

std::mutex learning;  // of what policies of one model or address share: each may be asked on a thread of its own

// What a model was found not to take by a protocol, for the life of the process: its next policy need not find that out
// again.
LeftOut& left_out_of(const Settings& settings) {
    const std::lock_guard lock(learning);
    static std::map<std::string, LeftOut> by_model;
    return by_model[settings.base_url + " " + settings.model + " " + settings.protocol->name()];
}

std::atomic<bool>& answered_of(const Settings& settings) {
    const std::lock_guard lock(learning);
    static std::map<std::string, std::atomic<bool>> by_address;
    return by_address[settings.base_url];
}

Calls::Bills& bills_of(const Settings& settings) {
    const std::lock_guard lock(learning);
    static std::map<std::string, Calls::Bills> by_model;
    return by_model[settings.base_url + " " + settings.model];
}

std::string about_text(double seconds) { return "about " + std::to_string(std::lround(std::ceil(seconds))) + " s"; }

}  // namespace

Calls::Calls(const Settings& settings, hone::Host host)
    : settings_(settings),
      host_(host),
      known_(known_of(settings)),
      left_out_(left_out_of(settings)),
      answered_(answered_of(settings)),
      bills_(bills_of(settings)),
      limit_(limit_of(settings, now())),
      backoff_(settings.backoff),
      kept_(settings.answers) {}

void Calls::ask(std::shared_ptr<const Question> question, std::uint32_t group) {
    if (!settings_.price.known && !(costs_nothing() && settings_.key.empty()))  // a key: a proxy's provider bills
        note("no price is known for " + who() + ": its cost counts as 0 unless the provider says it");
    check_budget(*question);
    note_left_out(*question);
    const std::vector<std::uint32_t> members = give_kept(*question, group);
    const bool at_once = several() && members.size() == group;
    if (at_once) return open(question, 0, group);
    for (const std::uint32_t member : members) open(question, member, 1);
}

// A cap can be kept where the most that a request costs is known.
void Calls::check_budget(const Question& question) const {
    if (std::isinf(host_.left()) || (costs_nothing() && settings_.key.empty() && !bills_.without_price)) return;
    if (!settings_.price.known) throw hone::Refused(no_price_text());
    for (const char* field :
         {"/max_tokens", "/max_completion_tokens", "/max_output_tokens", "/service_tier", "/tools", "/plugins",
          "/web_search_options", "/models", "/generationConfig/maxOutputTokens", "/generationConfig/candidateCount"})
        if (settings_.body.contains(nlohmann::json::json_pointer(field)))
            throw hone::Refused("the run has a budget, and body holds \"" + std::string(field + 1) +
                                "\", so that a request may cost more than was reserved; leave it out of body");
    if (question.max_tokens <= 0)
        throw hone::Refused("the run has a budget, and max_tokens is not said: an answer could cost any amount");
}

std::string Calls::no_price_text() const {
    return "no price is known for " + who() + ", and the run has a budget; put [provider." + settings_.provider +
           ".price.\"" + settings_.model + "\"] with input and output into hone.toml, in US dollars per million tokens";
}

// Answers what was paid for before; returns the members that are to be asked for.
std::vector<std::uint32_t> Calls::give_kept(const Question& question, std::uint32_t group) {
    std::vector<std::uint32_t> missing;
    for (std::uint32_t member = 0; member < group; ++member) {
        KeptAnswers::Found kept;
        if (kept_.on()) kept = kept_.find(asked(question, member), question.tag, member);
        if (!kept.fault.empty()) warn_once(kept.fault);
        if (kept.answer) answers_.push_back(std::move(*kept.answer));
        else missing.push_back(member);
    }
    if (missing.size() < group) note(who() + ": answers that were paid for before come from " + settings_.answers);
    return missing;
}

// The seed too: where a protocol has none, the members of a group are asked alike. And stop texts that are not sent.
std::string Calls::asked(const Question& question, std::uint32_t member) const {
    const bool cuts = known_.contains("stop") && !question.stop.empty();
    return settings_.address.endpoint(settings_.protocol->path(settings_.model, false)) + "\n" +
           std::to_string(question.seed + member) + "\n" +
           request_body(settings_, {question, member, 1, known_, false}) +
           (cuts ? "\n" + nlohmann::json(question.stop).dump() : "");
}

void Calls::open(std::shared_ptr<const Question> question, std::uint32_t member, std::uint32_t count) {
    ++open_;
    waiting_.push_back(std::make_shared<Call>(Call{std::move(question), member, count}));
}

// One request for each of its answers: where a server does not take n, or gave fewer.
void Calls::split(const Call& call) {
    for (std::uint32_t i = 0; i < call.count; ++i) open(call.question, call.member + i, 1);
    --open_;
}

// Two requests, which come first and have had the same tries.
void Calls::halve(Call call) {
    call.above_budget = false;
    call.body.clear();
    Call front = call;
    front.count = call.count / 2;
    call.member += front.count;
    call.count -= front.count;
    waiting_.push_front(std::make_shared<Call>(std::move(call)));
    waiting_.push_front(std::make_shared<Call>(std::move(front)));
    ++open_;
}

void Calls::run_for(double seconds, const std::function<void(const Answered&)>& give) {
    send_waiting();
    transfers_.run_for(seconds);
    send_waiting();
    tell_waits();
    for (const Answered& answer : std::exchange(answers_, {})) give(answer);
    if (!ending_.empty() && under_way_.empty()) throw hone::Refused(ending_);
}

// What is under way may be billed whether it is waited for or not.
void Calls::end(const std::string& reason) {
    if (!ending_.empty()) return;
    ending_ = settings_.redacted(reason);
    const std::size_t n = under_way_.size();
    if (n == 0) return;
    warn_once(reason + "; nothing more is sent; what is under way is waited for (" + std::to_string(n) +
              (n == 1 ? " request)" : " requests)"));
}

void Calls::give_up() {
    if (const std::size_t under_way = under_way_.size(); under_way > 0)
        host_.log(2, who() + ": " + std::to_string(under_way) +
                         (under_way == 1 ? " request that was under way is given up: it may have been billed"
                                         : " requests that were under way are given up: they may have been billed"));
    cancel();
}

void Calls::cancel() {
    transfers_.cancel();
    for (const CallPtr& call : std::exchange(under_way_, {})) settle_unknown(*call), limit_.drop();
    limit_.leave(this);
    waiting_.clear();
    at_limit_.clear();
    tell_waits();
    answers_.clear();
    ending_.clear();
    open_ = 0;
}

double Calls::left(const Call& call) const {
    return call.tries == 0 ? settings_.deadline : call.begun + settings_.deadline - now();
}

// What requests wait for beside their answers; "": for nothing.
std::string Calls::waits() const {
    const double at = now();
    std::string text;
    const Limit::Wait wait = waiting_.empty() ? Limit::Wait{} : limit_.wait(waiting_.front()->tokens, at);
    if (*wait.option)
        text = std::string("requests wait for ") + wait.option + " = " + std::to_string(std::llround(wait.value)) +
               (wait.seconds > 0 ? ", " + about_text(wait.seconds) : "");
    double soonest = std::numeric_limits<double>::infinity();
    for (const auto& [call, until] : at_limit_) soonest = std::min(soonest, until - at);
    if (soonest > 0 && !at_limit_.empty())
        text += (text.empty() ? "" : "; ") + std::string("requests wait for the server's limit (429), ") +
                about_text(soonest);
    return text;
}

void Calls::tell_waits() {
    if (std::string text = waits(); text != waits_told_) host_.waits(waits_told_ = std::move(text));
}

void Calls::send_waiting() {
    while (ending_.empty() && !waiting_.empty()) {
        const CallPtr call = waiting_.front();
        const bool splits = call->count > 1 && !several(), late = left(*call) <= 0;
        if (!splits && !late && !begin(*call) && !call->above_budget) return;
        waiting_.pop_front();
        if (splits) split(*call);
        else if (late) fail(call, call->last_error.empty() ? "not sent" : call->last_error);
        else if (call->above_budget) halve(*call);
        else send(call);
    }
    limit_.leave(this);  // others may be first
}

// Of its next try, unless that stands.
void Calls::write_body(Call& call) {
    if (!call.body.empty() && call.without == left_out()) return;
    call.without = left_out();
    call.streams = settings_.stream && !call.without.contains("stream");
    call.body = request_body(settings_, {*call.question, call.member, call.count, call.without, call.streams});
    constexpr double bytes_a_token = 4;  // of ordinary text
    call.tokens = static_cast<double>(call.body.size()) / bytes_a_token +
                  static_cast<double>(call.question->max_tokens) * call.count;
}

// A server of this machine may be a proxy that bills: the first answer tells it, and under a budget is awaited.
bool Calls::is_untried() const { return !bills_.nothing && !settings_.price.known && !std::isinf(host_.left()); }

// False where neither the limits of the key nor the run's budget hold one more now, and once the user asked to stop.
// That is asked behind the limit: a place that another policy leaves because of it stays empty.
bool Calls::begin(Call& call) {
    if (is_untried() && !under_way_.empty()) return false;
    write_body(call);
    const std::optional<unsigned> epoch = limit_.begin(this, call.tokens, now());
    if (!epoch) return false;
    call.epoch = *epoch;
    if (!host_.stop() && reserve(call)) return true;
    limit_.take_back(call.tokens);
    limit_.leave(this);  // money is awaited, no place
    return false;
}

// A token is a byte at least.
double Calls::most_usd(const Call& call) const {
    return settings_.price.most(static_cast<double>(call.body.size()),
                                static_cast<double>(call.question->max_tokens) * call.count);
}

// False where the run's budget holds no more. What is under way may cost less than was reserved: it is waited for.
bool Calls::reserve(Call& call) {
    const double most = settings_.price.known ? most_usd(call) : 0;
    const hone_rc got = host_.reserve(most);
    if (got == HONE_OK) call.reserved = most;
    call.above_budget = got == HONE_REFUSED && call.count > 1;
    if (got == HONE_REFUSED && !call.above_budget) end("the run's budget is spent");
    return got == HONE_OK;
}

void Calls::settle(Call& call, double usd) {
    spent_ += usd;
    host_.settle(std::exchange(call.reserved, 0), usd);
}

// Of a request that was sent and brought no answer that says what it cost.
void Calls::settle_unknown(Call& call) {
    spent_ += call.reserved;
    host_.settle(call.reserved, call.reserved, true);
    call.reserved = 0;
}

void Calls::send(const CallPtr& call) {
    under_way_.insert(call);
    if (call->tries++ == 0) call->begun = now();
    const bool streams = call->streams;
    call->stream = streams ? stream_of(call) : nullptr;
    Post post{settings_.address.endpoint(settings_.protocol->path(settings_.model, streams)),
              std::move(call->body),
              {"Content-Type: application/json",
               streams ? "Accept: application/json, text/event-stream" : "Accept: application/json",
               "Expect:", "User-Agent: hone"},
              settings_.connect,
              settings_.silence,
              left(*call),
              static_cast<std::size_t>(settings_.max_bytes),
              settings_.ca_file};
    post.direct = settings_.address.is_on_this_machine();
    if (streams) post.on_events = [stream = call->stream](std::string_view bytes) { stream->take(bytes); };
    if (!settings_.key.empty())
        for (std::string& header : settings_.protocol->key_headers(settings_.key))
            post.headers.push_back(std::move(header));
    transfers_.post(std::move(post), [this, call](Reply reply) { finished(call, std::move(reply)); });
}

// Pieces of the first try alone: another try may answer otherwise.
std::shared_ptr<Stream> Calls::stream_of(const CallPtr& call) {
    const bool tells = on_piece_ && call->count == 1 && call->tries == 1;
    if (!tells) return std::make_shared<Stream>(*settings_.protocol, nullptr);
    const std::weak_ptr<Call> whole = call;  // the call holds the stream
    return std::make_shared<Stream>(*settings_.protocol, [this, whole](const std::string& more) {
        if (const CallPtr to = whole.lock()) written(to, more);
    });
}

void Calls::written(const CallPtr& call, const std::string& more) {
    if (!call->told) call->told.emplace(settings_.secrets, call->question->stop);
    if (const std::string now = call->told->take(more); !now.empty()) on_piece_(call->question->tag, call->member, now);
}

// Of fields that are not sent, because the model is known not to take them: where the script asks for them.
void Calls::note_left_out(const Question& asked) {
    const std::pair<const char*, bool> fields[] = {{"temperature", asked.temperature != 1},
                                                   {"top_p", asked.top_p > 0 && asked.top_p < 1},
                                                   {"top_k", asked.top_k > 0},
                                                   {"min_p", asked.min_p > 0}};
    for (const auto& [field, is_asked] : fields)
        if (is_asked && known_.contains(field)) note(left_out_text(field));
    if (asked.goes_on) note(who() + " takes conversations alone: text to go on with is sent as a user's message");
}

LeftOut Calls::left_out() const {
    LeftOut all = known_;
    const std::lock_guard lock(learning);
    all.insert(left_out_.begin(), left_out_.end());
    return all;
}

// True where it was not left out before.
bool Calls::leave_out(const std::string& field) {
    const std::lock_guard lock(learning);
    return !known_.contains(field) && left_out_.insert(field).second;
}

std::string Calls::left_out_text(const std::string& field) const {
    return who() + " does not take \"" + field +
           "\": " + (field == "max_tokens" ? "max_completion_tokens is sent instead" : "it is left out from now on");
}

std::string Calls::notes() const {
    std::string lines;
    for (const std::string& field : left_out())
        if (!known_.contains(field)) lines += left_out_text(field) + "\n";
    for (const std::string& note : notes_) lines += note + "\n";
    return settings_.redacted(lines.substr(0, lines.size() - !lines.empty()));
}

void Calls::note(const std::string& text) {
    warn_once(text);
    notes_.insert(text);
}

void Calls::warn_once(const std::string& text) {
    if (std::find(warned_.begin(), warned_.end(), text) != warned_.end()) return;
    warned_.push_back(text);
    host_.log(2, settings_.redacted(text));
}

}  // namespace http
