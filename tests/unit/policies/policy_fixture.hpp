// A policy's library with a host of the test's own: what a part does behind the C boundary, without the engine between.
#pragma once
#include <dlfcn.h>
#include <functional>
#include <map>
#include <stdexcept>
#include "base/json.hpp"
#include "hone/abi.h"
#include "parts/budget.hpp"
#include "parts/handle.hpp"
#include "test_folders.hpp"

namespace hone::test {

struct GivenAnswer {
    std::uint32_t member = 0;
    int finish = 0;
    std::string text;
    std::vector<std::int32_t> prompt_ids, ids;
    std::vector<float> logp;
    double tokens_in = 0, tokens_out = 0, usd = 0;
    std::string model{};
    int fault = 0;
    double retry_after = 0;
    bool operator==(const GivenAnswer&) const = default;
};

struct Ask {
    std::vector<std::pair<std::string, std::string>> messages;  // role, text
    std::uint32_t group = 1;
    std::uint64_t seed = 1;
    double temperature = 1;
    int max_tokens = 16;
    std::vector<std::string> stop;
    int top_k = 0;
    double min_p = 0;
};

class PolicyPart {
public:
    PolicyPart(const std::string& id, const Json& options) : options_(options) {
        library_ = dlopen((HONE_TEST_PLUGIN_DIR "/policy." + id + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library_) throw std::runtime_error(dlerror());
        part_ = static_cast<const hone_part*>(dlsym(library_, "hone_part_entry"));
        for (const hone_option* o = part_->options; o && o->name; ++o)
            if (!options_.contains(o->name) && o->preset) options_[o->name] = o->preset;
        host_ = {
            sizeof host_,
            this,
            fail,
            [](void*, int32_t, const char* text) { logged().append(text).append("\n"); },
            [](void* ctx) { return static_cast<PolicyPart*>(ctx)->stop_ ? static_cast<PolicyPart*>(ctx)->stop_() : 0; },
            num,
            text,
            count,
            left,
            reserve,
            settle};
        host_.waits = [](void* ctx, const char* text) { static_cast<PolicyPart*>(ctx)->waits_.emplace_back(text); };
        check(part_->create(&host_, reinterpret_cast<const hone_doc*>(&options_), &self_));
    }
    PolicyPart(const PolicyPart&) = delete;
    ~PolicyPart() {
        if (self_) part_->destroy(self_);
    }

    const hone_policy& functions() const { return *static_cast<const hone_policy*>(part_->functions); }
    const hone_learning& learning() const {
        return *static_cast<const hone_learning*>(find_extension(*part_, HONE_EXT_LEARNING));
    }
    void* self() const { return self_; }
    void check(hone_rc rc) const {
        if (rc != HONE_OK) throw std::runtime_error(error_);
    }
    void on_stop(std::function<int()> stop) { stop_ = std::move(stop); }
    static std::string& logged() {
        static std::string text;
        return text;
    }
    double spent() const { return budget_.paid(); }
    const std::vector<std::string>& waits() const { return waits_; }  // all that was told, in order
    Budget& budget() { return budget_; }

    // All answers of all requests, by (request, member).
    std::map<std::pair<std::size_t, std::uint32_t>, GivenAnswer> sample(const std::vector<Ask>& asks) {
        Feed feed(asks);
        const hone_feed functions_of_feed{&feed, Feed::take, Feed::give, Feed::piece};
        const hone_rc rc = functions().sample(self_, &functions_of_feed);
        given_ = feed.answers;
        pieces_ = feed.pieces;
        check(rc);
        return feed.answers;
    }
    std::size_t given() const { return given_.size(); }  // answers of the last call, also of one that failed
    // Of the last call: what came of an answer before it ended, from a part that streams.
    const std::vector<std::string>& pieces(std::size_t request, std::uint32_t member) {
        return pieces_[{request, member}];
    }
    GivenAnswer ask(const Ask& ask) { return sample({ask}).at({0, 0}); }

private:
    using Answers = std::map<std::pair<std::size_t, std::uint32_t>, GivenAnswer>;
    using Pieces = std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::string>>;
    struct Feed {
        explicit Feed(const std::vector<Ask>& list) : asks(list) {
            for (const Ask& ask : asks) {
                messages.emplace_back(), stops.emplace_back();
                for (const std::string& text : ask.stop) stops.back().push_back({text.data(), text.size()});
                for (const auto& [role, words] : ask.messages)
                    messages.back().push_back({{role.data(), role.size()}, {words.data(), words.size()}});
            }
        }
        static int32_t take(void* ctx, int32_t, hone_request* out) {
            Feed& feed = *static_cast<Feed*>(ctx);
            if (feed.next == feed.asks.size()) return -1;
            const Ask& ask = feed.asks[feed.next];
            const auto& list = feed.messages[feed.next];
            const auto& stop = feed.stops[feed.next];
            *out = {sizeof *out, feed.next++, list.data(),     static_cast<std::uint32_t>(list.size()),
                    ask.group,   ask.seed,    ask.temperature, 1.0,
                    ask.min_p,   ask.top_k,   ask.max_tokens,  static_cast<std::uint32_t>(stop.size()),
                    stop.data()};
            return 1;
        }
        static void give(void* ctx, const hone_answer* a) {
            GivenAnswer got{a->member,
                            a->finish,
                            std::string(a->text.at, a->text.len),
                            {},
                            {},
                            {},
                            a->tokens_in,
                            a->tokens_out,
                            a->usd,
                            {a->model.at ? a->model.at : "", a->model.len},
                            a->fault,
                            a->retry_after};
            if (a->prompt_ids) got.prompt_ids.assign(a->prompt_ids, a->prompt_ids + a->n_prompt);
            if (a->ids) got.ids.assign(a->ids, a->ids + a->n);
            if (a->logp) got.logp.assign(a->logp, a->logp + a->n);
            static_cast<Feed*>(ctx)->answers[{a->tag, a->member}] = got;
        }
        static void piece(void* ctx, std::uint64_t tag, std::uint32_t member, hone_text text) {
            static_cast<Feed*>(ctx)->pieces[{tag, member}].emplace_back(text.at, text.len);
        }
        const std::vector<Ask>& asks;
        std::vector<std::vector<hone_message>> messages;
        std::vector<std::vector<hone_text>> stops;
        std::size_t next = 0;
        Answers answers;
        Pieces pieces;
    };

    static const Json* at(const hone_doc* doc, const char* path) {
        return find_path(*reinterpret_cast<const Json*>(doc), path);
    }
    static hone_rc fail(void* ctx, hone_rc code, const char* words) {
        static_cast<PolicyPart*>(ctx)->error_ = words;
        return code;
    }
    static double num(const hone_doc* doc, const char* path, double absent) {
        const Json* v = at(doc, path);
        if (!v) return absent;
        if (v->is_boolean()) return v->get<bool>();
        if (v->is_string()) return std::strtod(v->get_ref<const std::string&>().c_str(), nullptr);  // presets are text
        return v->is_number() ? v->get<double>() : absent;
    }
    static hone_text text(const hone_doc* doc, const char* path) {
        const Json* v = at(doc, path);
        if (!v || !v->is_string()) return {"", 0};
        const std::string& words = v->get_ref<const std::string&>();
        return {words.data(), words.size()};
    }
    static int64_t count(const hone_doc* doc, const char* path) {
        const Json* v = at(doc, path);
        return v && v->is_structured() ? static_cast<int64_t>(v->size()) : -1;
    }
    static double left(void* ctx) { return static_cast<PolicyPart*>(ctx)->budget_.left(); }
    static hone_rc reserve(void* ctx, double usd) {
        const Budget::Reserved got = static_cast<PolicyPart*>(ctx)->budget_.reserve(usd);
        return got == Budget::Reserved::yes ? HONE_OK : got == Budget::Reserved::not_now ? HONE_FAILED : HONE_REFUSED;
    }
    static void settle(void* ctx, double reserved, double paid, int32_t maybe) {
        static_cast<PolicyPart*>(ctx)->budget_.settle(reserved, paid, maybe != 0);
    }

    Json options_;
    void* library_ = nullptr;
    const hone_part* part_ = nullptr;
    hone_host host_{};
    void* self_ = nullptr;
    std::function<int()> stop_;
    Budget budget_;
    std::string error_;
    std::vector<std::string> waits_;
    Answers given_;
    Pieces pieces_;
};

}  // namespace hone::test
