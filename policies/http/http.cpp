// policy.http: a language model behind an API (OpenAI, Anthropic, Gemini, and what speaks like OpenAI). Frozen: what it
// learns, it learns from its prompt.
#include "calls.hpp"
#include "http/provider/listing.hpp"

namespace {

class Http : public hone::PolicyPart {
public:
    static constexpr auto& options = http::option_table;

    Http(hone::Host host, hone::Doc given)
        : host_(host), settings_(http::read_settings(given)), calls_(settings_, host) {}

    void sample(const hone_feed& feed) override {
        const auto give = [&](const http::Answered& answer) { pass_on(feed, answer); };
        calls_.on_piece(!feed.delta ? http::Calls::OnPiece()
                                    : [&feed](std::uint64_t tag, std::uint32_t member, const std::string& text) {
                                          feed.delta(feed.ctx, tag, member, hone::borrow(text));
                                      });
        try {
            for (bool more = true; more || !calls_.idle();) {
                more = take(feed) && more;
                calls_.run_for(0.02, give);
                if (host_.stop()) return calls_.give_up();
            }
        } catch (...) {
            calls_.cancel();
            throw;
        }
    }

    void facts(hone::Out out) override {
        out.text("device", "remote");
        out.text("speaks", "chat");
        out.text("provider", settings_.provider);
        out.text("model", settings_.model);
        out.text("model_answered", calls_.model_answered());
        out.text("base_url", settings_.address.shown());
        if (const std::string notes = calls_.notes(); !notes.empty()) out.text("notes", notes);
        out.text("asks.model", settings_.provider + "/" + settings_.model);
        out.text("asks.base_url", settings_.address.shown());
        out.text("asks.protocol", settings_.protocol->name());
        if (!settings_.body.empty()) out.text("asks.body", settings_.redacted(settings_.body.dump()));
        out.num("usd", calls_.spent());
        out.text("price", settings_.price.known ? settings_.price.source : "not known");
        out.num("concurrency", calls_.limit());
    }

    static void list_models(hone::Host, bool ask, const OnSource& tell) { http::list_sources(ask, tell); }

private:
    // Takes what there is room for; false once the feed is at its end. The feed is asked at every turn, because the
    // engine works between turns.
    bool take(const hone_feed& feed) {
        do {
            hone_request request{};
            request.size = sizeof request;
            const int32_t got = feed.take(feed.ctx, calls_.idle() ? 20 : 0, &request);
            if (got <= 0) return got == 0;
            calls_.ask(std::make_shared<http::Question>(http::question_of(request)), request.group);
        } while (calls_.room());
        return true;
    }

    static void pass_on(const hone_feed& feed, const http::Answered& a) {
        const auto at = [](const auto& list) { return list.empty() ? nullptr : list.data(); };
        const auto n = static_cast<uint32_t>(std::max(a.choice.ids.size(), a.choice.logp.size()));
        const hone_answer given{sizeof given,
                                a.tag,
                                a.member,
                                a.choice.finish,
                                hone::borrow(a.choice.text),
                                at(a.prompt_ids),
                                at(a.choice.ids),
                                static_cast<uint32_t>(a.prompt_ids.size()),
                                n,
                                at(a.choice.logp),
                                0,
                                a.tokens_in,
                                a.tokens_cached,
                                a.tokens_out,
                                a.usd,
                                hone::borrow(a.model),
                                a.choice.fault,
                                a.choice.retry_after};
        feed.give(feed.ctx, &given);
    }

    hone::Host host_;
    http::Settings settings_;
    http::Calls calls_;
};

}  // namespace

HONE_POLICY(Http, "http", "1.0",
            "a language model behind an API: OpenAI, Anthropic, Gemini, and what speaks like OpenAI")
