#include "providers.hpp"
#include <algorithm>

namespace http {
namespace {

constexpr Provider known_providers[] = {
    {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "chat", true},
    {"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "messages"},
    {"gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", "gemini"},
    {"deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"},
    {"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
    {"vllm", "http://127.0.0.1:8000/v1", "none", "chat", true, true},
    {"sglang", "http://127.0.0.1:30000/v1", "none", "chat", true},
    {"llama.cpp", "http://127.0.0.1:8080/v1", "none"},
    {"ollama", "http://127.0.0.1:11434/v1", "none"},
    {"hone", "http://127.0.0.1:8080/v1", "none", "chat", true, true},
};

struct Family {
    const char *provider, *prefix;
    LeftOut refused;
};

// Models that reason refuse to be sampled otherwise than they are made for. OpenAI's want max_completion_tokens.
const std::vector<Family>& families() {
    static const LeftOut of_openai = {"temperature", "top_p", "logprobs", "max_tokens"};
    static const std::vector<Family> list = {
        {"openai", "gpt-5", of_openai},
        {"openai", "o1", of_openai},
        {"openai", "o3", of_openai},
        {"openai", "o4", of_openai},
        {"anthropic", "claude-opus-4-7", {"temperature"}},
        {"anthropic", "claude-opus-5", {"temperature"}},
        {"anthropic", "claude-sonnet-5", {"temperature"}},
    };
    return list;
}

}  // namespace

std::vector<std::string> provider_names(const ConfigFile& config) {
    std::vector<std::string> names = config.providers();
    for (const Provider& known : known_providers)
        if (std::find(names.begin(), names.end(), known.name) == names.end()) names.push_back(known.name);
    return names;
}

Provider provider_of(const std::string& name) {
    for (const Provider& known : known_providers)
        if (name == known.name) return known;
    return {};
}

LeftOut refused_by_family(const std::string& provider, const std::string& model) {
    for (const Family& family : families())
        if (provider == family.provider && model.starts_with(family.prefix)) return family.refused;
    return {};
}

std::string likely_provider(const std::string& model) {
    if (model.starts_with("claude")) return "anthropic";
    if (model.starts_with("gemini")) return "gemini";
    if (model.starts_with("deepseek")) return "deepseek";
    return model.starts_with("gpt") || model.starts_with("o1") || model.starts_with("o3") || model.starts_with("o4")
               ? "openai"
               : "PROVIDER";
}

}  // namespace http
