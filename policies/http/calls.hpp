// policies/http/calls.hpp: questions on their way: sent within the limit, tried again where that helps, answered once.
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include "complaint.hpp"
#include "http/protocol/stream.hpp"
#include "kept_answers.hpp"
#include "limit.hpp"
#include "retry.hpp"
#include "settings.hpp"
#include "told_text.hpp"

namespace http {

class Calls {
public:
    struct Bills {                                  // what a model's answers told of money to this process
        std::atomic<bool> told_above_price{false};  // it billed more than was reserved, and that was told
        std::atomic<bool> without_price{false};     // it told a cost, and no price of it is known
        std::atomic<bool> nothing{false};           // an answer came without a cost
    };
    // A piece of an answer's text, as it is written.
    using OnPiece = std::function<void(std::uint64_t tag, std::uint32_t member, const std::string& text)>;
    Calls(const Settings&, hone::Host);
    ~Calls() { limit_.leave(this); }
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    void on_piece(OnPiece tell) { on_piece_ = std::move(tell); }  // null: nobody looks on
    // Questions for members [0, group). Where the run's budget is spent, run_for says so.
    void ask(std::shared_ptr<const Question>, std::uint32_t group);
    bool idle() const { return open_ == 0; }
    bool room() const { return waiting_.size() < 2 * static_cast<std::size_t>(settings_.concurrency); }
    // Handles what has come in. `give` gets each answer. Where no retry and no other prompt can help (a refused key, an
    // unknown model, an exhausted quota), nothing more is sent; it throws hone::Refused once nothing is under way, so
    // that every answer that was paid for is given first.
    void run_for(double seconds, const std::function<void(const Answered&)>& give);
    void give_up();  // tells what that may have cost
    void cancel();
    double spent() const { return spent_; }
    const std::string& model_answered() const { return model_answered_; }
    // What was asked or answered otherwise than the script says, a line each: for the record.
    std::string notes() const;
    double limit() const { return limit_.now(); }

private:
    struct Call {
        std::shared_ptr<const Question> question;
        std::uint32_t member, count;
        int tries = 0, counted = 0;  // counted: of those, the ones that settings.tries limits
        double begun = 0;            // of the first try, on the monotonic clock
        int unreadable = 0;          // answers that came and could not be read
        unsigned epoch = 0;
        LeftOut without{};  // fields that were left out when it was sent
        bool streams = false;
        std::string body{};                // of its next try
        double tokens = 0;                 // that it may take, of a minute's
        double reserved = 0;               // US dollars, while a try is under way
        bool above_budget = false;         // the budget holds no request of so many answers
        std::shared_ptr<Stream> stream{};  // of its last try; null: the reply comes whole
        std::optional<ToldText> told{};    // of the text of the last try, where somebody looks on
        std::string last_error{};
        int fault = HONE_FAULT_TIME;  // behind the last error; no try yet: the deadline came first
        double retry_after = 0;       // seconds, by the server's last word
    };
    using CallPtr = std::shared_ptr<Call>;
    std::vector<std::uint32_t> give_kept(const Question&, std::uint32_t group);
    std::string asked(const Question&, std::uint32_t member) const;
    void open(std::shared_ptr<const Question>, std::uint32_t member, std::uint32_t count);
    bool several() const { return settings_.several && !left_out().contains("n"); }
    void split(const Call&);
    void halve(Call);
    void send_waiting();
    void check_budget(const Question&) const;
    std::string no_price_text() const;
    bool is_untried() const;
    bool costs_nothing() const { return !settings_.price.known && settings_.address.is_on_this_machine(); }
    bool begin(Call&);
    bool reserve(Call&);
    double most_usd(const Call&) const;
    void write_body(Call&);
    void settle(Call&, double usd);
    void settle_unknown(Call&);
    void send(const CallPtr&);
    std::shared_ptr<Stream> stream_of(const CallPtr&);
    void written(const std::shared_ptr<Call>&, const std::string& more);
    void finished(const CallPtr&, Reply);
    void answered(const CallPtr&, const Reply&);
    void streamed(const CallPtr&, const Reply&);
    void read(const CallPtr&, const Reply&, const nlohmann::json& document, const std::string& fault);
    void failed_within(const CallPtr&, const Reply&, const nlohmann::json& error);
    void unreadable(const CallPtr&, const Reply&, const std::string& reason);
    void succeeded(const CallPtr&, const Completion&);
    void note_model(const std::string&);
    void note_overbilled(double usd, double most);
    void note_unpriced(double usd);
    void end(const std::string& reason);
    bool no_try_helps(const CallPtr&, const Reply&, const Complaint&);
    void refused(const CallPtr&, const Reply&);
    bool sent_without(const CallPtr&, const std::vector<std::string>& fields);
    void note_left_out(const Question&);
    LeftOut left_out() const;
    bool leave_out(const std::string& field);
    std::string left_out_text(const std::string& field) const;
    void again(const CallPtr&, const Reply&, std::string reason, double asked_in_body = 0);
    bool waits_for(const Reply&);
    void pause(const CallPtr&, double seconds, bool at_limit);
    std::string waits() const;
    void tell_waits();
    void fail(const CallPtr&, const std::string& reason, int finish = HONE_ERROR);
    void note(const std::string& text);  // tells it once, for the record too
    void warn_once(const std::string& text);
    double left(const Call&) const;
    std::string who() const { return settings_.provider + "/" + settings_.model; }

    const Settings& settings_;
    hone::Host host_;
    const LeftOut known_;          // fields that are never sent
    LeftOut& left_out_;            // others, found out by every policy of this model and protocol in this process
    std::atomic<bool>& answered_;  // whether the address ever answered to this process
    Bills& bills_;                 // likewise of this model
    Limit& limit_;
    Backoff backoff_;
    Transfers transfers_;
    KeptAnswers kept_;
    std::deque<CallPtr> waiting_;
    std::set<CallPtr> under_way_;
    std::map<CallPtr, double> at_limit_;  // that the server told to wait (429), and until when
    std::string waits_told_;
    std::vector<Answered> answers_;
    std::vector<std::string> warned_;
    std::set<long> waited_for_;  // statuses of which that was told
    bool told_unreadable_ = false;
    std::string ending_;  // why nothing more is sent; "": there is no reason
    int open_ = 0;
    double spent_ = 0;
    std::string model_answered_;
    std::set<std::string> notes_;
    std::string overbilled_;  // the note of that; "": none was made
    OnPiece on_piece_;
};

}  // namespace http
