// Programs as later prompts show them (domain/canonical). The first byte chooses the language.
#include "text/canonical.hpp"
#include "property.hpp"

using namespace hone;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const char* const languages[] = {"cpp", "c", "cuda", "lua", "fake"};
    const std::string language = languages[bytes[0] % 5], code(fuzz::view(bytes + 1, size - 1)),
                      text = canonical_text(language, code);
    fuzz::hold(canonical_text(language, text) == text, "canonical text stays as it is");
    fuzz::hold(canonical_hash(language, text, "") == canonical_hash(language, code, ""),
               "canonical text has its program's hash");
    fuzz::hold(canonical_hash(language, code, "").size() == 64, "a hash has 64 digits");
    if (language == "fake") return 0;
    fuzz::hold(text.find("<|") == std::string::npos, "no special token of a language model is left");
    fuzz::hold(!fuzz::is_utf8(code) || fuzz::is_utf8(text), "UTF-8 stays UTF-8");
    return 0;
}
