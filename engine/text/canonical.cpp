#include "text/canonical.hpp"
#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include "base/hash.hpp"
#include "text/tokens.hpp"

namespace hone {
namespace {

using Kind = Token::Kind;
using Tokens = std::vector<Token>;
using Words = std::set<std::string>;

constexpr int most_passes = 8;

Words words_of(const char* list) {
    std::istringstream in(list);
    return {std::istream_iterator<std::string>(in), {}};
}

const Words keywords = words_of(
    "alignas alignof asm auto bool break case char class const consteval constexpr const_cast continue decltype "
    "default delete do "
    "double dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable namespace "
    "new noexcept "
    "nullptr operator private protected public register reinterpret_cast return short signed sizeof static "
    "static_assert "
    "static_cast struct switch template this thread_local true typedef typename union unsigned using virtual void "
    "volatile while "
    "__restrict __restrict__ __global__ __device__ __host__ __shared__ __forceinline__ __asm__ __attribute__ "
    "__inline__");

const Words lua_keywords = words_of(
    "and break do else elseif end false for function goto if in local nil not or repeat return then true until while");

// Of pragmas, outside parentheses. Whoever says anything else has no pragma of ours.
const Words pragma_words = words_of(
    "omp parallel for simd reduction schedule collapse num_threads private shared firstprivate lastprivate default "
    "nowait aligned "
    "simdlen safelen linear if ordered single master critical atomic barrier sections section task taskloop taskwait "
    "declare "
    "proc_bind read write update capture seq_cst nontemporal GCC ivdep unroll nounroll optimize target push_options "
    "pop_options "
    "once clang loop STDC FP_CONTRACT ON OFF map teams distribute device data num_teams thread_limit vector always");
const Words kept_directives = words_of("define undef if ifdef ifndef elif else endif");

// Names of compilers and vendors may be longer.
constexpr std::size_t longest_builtin = 40;
bool is_builtin(const std::string& word) {
    return word.starts_with("_mm") || word.starts_with("__builtin_") || word.starts_with("__nv_");
}

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_ascii_name(const std::string& text) { return std::all_of(text.begin(), text.end(), is_name_letter); }

// A word that a compiler takes as an option, or the name of a header.
bool is_option(const std::string& text) {
    return text.size() <= longest_word && std::all_of(text.begin(), text.end(), [](char c) {
               return is_name_letter(c) || std::string_view("-=.,+").find(c) != std::string_view::npos;
           });
}

// Assembly: lines of an instruction and its operands. A comment, or four words in a row, may be prose.
bool is_assembly(const std::string& text) {
    for (const char* foreign : {"#", "`", "//", "/*", "<|", "\""})
        if (text.find(foreign) != std::string::npos) return false;
    std::size_t in_row = 0, length = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c < ' ' || c > '~') return false;
        const bool ends = c == '\\' && i + 1 < text.size() && (text[i + 1] == 'n' || text[i + 1] == 't');
        if (c == '\\' && !ends) return false;
        if (ends) ++i;
        const bool letter = !ends && (is_name_letter(c) || c == '.');
        if (letter && length++ == 0) ++in_row;
        if (!letter) length = 0;
        if (ends || (!letter && c != ' ')) in_row = 0;
        if (length > longest_word + 8 || in_row > most_words) return false;
    }
    return true;
}

// The tokens that stay, each with the line break of those that went before it.
class Sieve {
public:
    void drop(const Token& token) {
        if (token.newline && !newline_) newline_ = true, indent_ = token.indent;
        dropped_ = true;
    }
    void keep(Token token) {
        if (newline_ && !token.newline) token.newline = true, token.indent = indent_;
        token.blank = token.blank || dropped_;
        newline_ = dropped_ = false;
        kept_.push_back(std::move(token));
    }
    Tokens result() { return std::move(kept_); }

private:
    Tokens kept_;
    bool newline_ = false, dropped_ = false;
    int indent_ = 0;
};

// The end of the directive that begins at `at`.
std::size_t directive_end(const Tokens& tokens, std::size_t at) {
    std::size_t end = at + 1;
    while (end < tokens.size() && tokens[end].directive && !tokens[end].newline) ++end;
    return end;
}

bool pragma_stays(const Token* begin, const Token* end) {
    int depth = 0;
    for (const Token* t = begin; t != end; ++t) {
        if (t->text == "(" && t->kind == Kind::mark) ++depth;
        if (t->text == ")" && t->kind == Kind::mark) --depth;
        if (t->kind == Kind::word && depth <= 0 && !pragma_words.contains(t->text)) return false;
    }
    return begin != end && pragma_words.contains(begin->text);
}

// "name" or <name>, a short one.
bool include_stays(const Token* begin, const Token* end) {
    if (end - begin == 1) return begin->kind == Kind::text;
    std::size_t length = 0;
    for (const Token* t = begin; t != end; ++t) {
        length += t->text.size();
        if ((t->blank && t != begin) || (t->kind != Kind::word && t->kind != Kind::mark)) return false;
    }
    return length > 0 && length <= longest_builtin && begin->text == "<" && end[-1].text == ">";
}

std::string directive_name(const Tokens& tokens, std::size_t at, std::size_t end) {
    return at + 1 < end && tokens[at + 1].kind == Kind::word ? tokens[at + 1].text : "";
}

bool directive_stays(const Tokens& tokens, std::size_t at, std::size_t end) {
    const std::string name = directive_name(tokens, at, end);
    const Token *begin = tokens.data() + at + 2, *last = tokens.data() + end;
    if (name == "pragma") return pragma_stays(begin, last);
    if (name == "include") return include_stays(begin, last);
    return kept_directives.contains(name);
}

// Where the preprocessor is: which of the open groups are never compiled.
class Groups {
public:
    bool dead() const { return std::find(open_.begin(), open_.end(), true) != open_.end(); }
    void meet(const Tokens& tokens, std::size_t at, std::size_t end) {
        const std::string name = directive_name(tokens, at, end);
        const bool zero = end == at + 3 && (tokens[at + 2].text == "0" || tokens[at + 2].text == "false");
        if (name.starts_with("if")) open_.push_back(name == "if" && zero);
        else if (name == "endif" && !open_.empty()) open_.pop_back();
        else if ((name == "else" || name == "elif") && !open_.empty()) open_.back() = false;
    }
    static bool is_one(const Tokens& tokens, std::size_t at, std::size_t end) {
        static const Words names = {"if", "ifdef", "ifndef", "elif", "else", "endif"};
        return names.contains(directive_name(tokens, at, end));
    }

private:
    std::vector<bool> open_;
};

Tokens without_dead_text(const Tokens& tokens) {
    Sieve sieve;
    Groups groups;
    for (std::size_t at = 0; at < tokens.size();) {
        const bool directive = tokens[at].directive;
        const std::size_t end = directive ? directive_end(tokens, at) : at + 1;
        const bool stays =
            !directive ? !groups.dead()
                       : Groups::is_one(tokens, at, end) || (!groups.dead() && directive_stays(tokens, at, end));
        if (directive) groups.meet(tokens, at, end);
        for (; at < end; ++at) stays ? sieve.keep(tokens[at]) : sieve.drop(tokens[at]);
    }
    return sieve.result();
}

const Words assembly_words = words_of("asm __asm__ __asm");
const Words attribute_words = words_of("__attribute__ __attribute");
const Words option_words = words_of("target optimize __target__ __optimize__");

bool is_assembly_word(const Token& token) { return token.kind == Kind::word && assembly_words.contains(token.text); }

// Whether the scan is in the parentheses after one of some words.
class Parentheses {
public:
    explicit Parentheses(const Words& words) : words_(words) {}
    void meet(const Token& token) {
        if (token.kind == Kind::word && words_.contains(token.text)) awaited_ = true;
        if (token.kind != Kind::mark) return;
        if (token.text == "(" && (awaited_ || depth_ > 0)) ++depth_;
        if (token.text == ")" && depth_ > 0) --depth_;
        awaited_ = false;
    }
    bool inside() const { return depth_ > 0; }

private:
    const Words& words_;
    bool awaited_ = false;
    int depth_ = 0;
};

bool is_number(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_name_letter(c) || c == '.' || c == '\'' || c == '+' || c == '-'; });
}

Tokens with_plain_numbers(Tokens tokens) {
    for (Token& token : tokens)
        if (token.kind == Kind::number && (token.text.size() > longest_word || !is_number(token.text)))
            token.text = token.text[0] == '.' ? ".0" : "0";
    return tokens;
}

// Tells of each text whether C++ needs it where it stands: a linkage, a header, an option of a function or of all,
// assembly.
class NeededTexts {
public:
    bool needs(const Tokens& tokens, std::size_t at) {
        const Token& token = tokens[at];
        for (Parentheses* one : {&assembly_, &attribute_, &options_}) one->meet(token);
        if (token.directive && token.newline) directive_ = at + 1 < tokens.size() ? tokens[at + 1].text : "";
        if (token.kind != Kind::text) return false;
        if (assembly_.inside()) return is_assembly(token.text);
        if (at > 0 && tokens[at - 1].kind == Kind::word && tokens[at - 1].text == "extern")
            return token.text == "C" || token.text == "C++";
        const bool header = token.directive && directive_ == "include";
        return is_option(token.text) && (header || (options_.inside() && takes_options(token)));
    }

private:
    bool takes_options(const Token& token) const {
        return attribute_.inside() || (token.directive && directive_ == "pragma");
    }

    Parentheses assembly_{assembly_words}, attribute_{attribute_words}, options_{option_words};
    std::string directive_;
};

void strip_texts(Tokens& tokens, bool cpp) {
    NeededTexts texts;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        Token& token = tokens[at];
        const bool needed = cpp ? texts.needs(tokens, at) : token.kind == Kind::text && is_option(token.text);
        if (token.kind == Kind::character) token.text = "_";
        if (token.kind == Kind::text && !needed) token.text.clear();
    }
}

bool too_long(const std::string& word) {
    return !is_ascii_name(word) || word.size() > (is_builtin(word) ? longest_builtin : longest_word);
}

void shorten_names(Tokens& tokens) {
    std::set<std::string> taken;
    for (const Token& token : tokens)
        if (token.kind == Kind::word) taken.insert(token.text);
    std::map<std::string, std::string> names;
    std::size_t n = 0;
    for (Token& token : tokens) {
        if (token.kind != Kind::word || !too_long(token.text)) continue;
        const auto [entry, fresh] = names.try_emplace(token.text);
        if (fresh) do
                entry->second = "name" + std::to_string(++n);
            while (taken.contains(entry->second));
        token.text = entry->second;
    }
}

// Finds rows of words and texts, with nothing but blanks between them.
class Rows {
public:
    Rows(const Tokens& tokens, bool cpp) : tokens_(tokens), cpp_(cpp) {}

    // The end of the row that begins at `at` (one token, if it is none), and whether it is a sentence.
    std::pair<std::size_t, bool> row(std::size_t at) {
        const Token& first = tokens_[at];
        if (first.directive && first.newline) pragma_ = at + 1 < tokens_.size() && tokens_[at + 1].text == "pragma";
        if (names_directive(at)) return {at + 1, false};
        std::size_t end = at, names = 0;
        for (; end < tokens_.size() && in_row(tokens_[end]) && (end == at || joins(end)); ++end)
            names += counts(tokens_[end]);
        if (end > at) return {end, names > most_words};
        assembly_.meet(first);
        return {at + 1, false};
    }

private:
    bool names_directive(std::size_t at) const {
        return at > 0 && tokens_[at - 1].directive && tokens_[at - 1].newline;
    }
    // `asm` is in none, so that the texts after it are known for what they are
    static bool in_row(const Token& token) { return token.kind != Kind::mark && !is_assembly_word(token); }
    bool joins(std::size_t at) const {
        return tokens_[at].directive == tokens_[at - 1].directive &&
               !(tokens_[at].newline && (tokens_[at].directive || !cpp_));
    }
    bool counts(const Token& token) const {
        if (token.kind == Kind::text) return !assembly_.inside();
        if (token.kind != Kind::word) return false;
        return !(cpp_ ? keywords : lua_keywords).contains(token.text) &&
               !(token.directive && pragma_ && pragma_words.contains(token.text));
    }
    const Tokens& tokens_;
    bool cpp_, pragma_ = false;
    Parentheses assembly_{assembly_words};
};

Tokens without_sentences(const Tokens& tokens, bool cpp) {
    Sieve sieve;
    Rows rows(tokens, cpp);
    for (std::size_t at = 0; at < tokens.size();)
        for (const auto [end, sentence] = rows.row(at); at < end; ++at)
            sentence ? sieve.drop(tokens[at]) : sieve.keep(tokens[at]);
    return sieve.result();
}

std::string shown(const Token& token) {
    if (token.kind == Kind::text) return "\"" + token.text + "\"";
    if (token.kind == Kind::character) return "'" + token.text + "'";
    return token.text;
}

bool is_wordlike(const Token& token) { return token.kind == Kind::word || token.kind == Kind::number; }

std::string printed(const Tokens& tokens) {
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.newline) text += (i ? "\n" : "") + std::string(static_cast<std::size_t>(token.indent), ' ');
        else if (token.blank || (i > 0 && token.kind != Kind::mark && is_wordlike(tokens[i - 1]))) text += ' ';
        text += shown(token);
    }
    return text;
}

bool is_cpp(const std::string& language) { return language == "cpp" || language == "c" || language == "cuda"; }

Tokens canonical_tokens(const std::string& language, const std::string& code) {
    Tokens tokens = is_cpp(language) ? without_dead_text(with_plain_numbers(cpp_tokens(code)))
                                     : with_plain_numbers(lua_tokens(code));
    shorten_names(tokens);
    tokens = without_sentences(tokens, is_cpp(language));
    strip_texts(tokens, is_cpp(language));  // last: whether a text is needed depends on the words that are left
    return tokens;
}

// What one pass leaves may read otherwise than what it was given: half a text whose other half was a comment, say.
// Until nothing changes.
std::string fixed_text(const std::string& language, const std::string& code) {
    std::string text = printed(canonical_tokens(language, code));
    for (int pass = 1; pass < most_passes; ++pass) {
        std::string next = printed(canonical_tokens(language, text));
        if (next == text) break;
        text = std::move(next);
    }
    return text;
}

std::string key_of(const std::string& language, const std::string& code) {
    if (!is_cpp(language) && language != "lua") return code;
    std::string key;
    bool directive = false;
    for (const Token& token : canonical_tokens(language, fixed_text(language, code))) {
        const bool line = token.directive ? token.newline : directive;
        key += (line ? "\n" : " ") + shown(token);
        directive = token.directive;
    }
    return key;
}

}  // namespace

std::string canonical_text(const std::string& language, const std::string& code) {
    return is_cpp(language) || language == "lua" ? fixed_text(language, code) : code;
}

std::string canonical_hash(const std::string& language, const std::string& code, const std::string& plan) {
    const std::string key = key_of(language, code);
    return sha256(language + " " + std::to_string(key.size()) + ":" + key + key_of("lua", plan));
}

}  // namespace hone
