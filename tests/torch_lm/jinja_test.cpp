// The Jinja of chat templates: what it prints, where it stops, and whose each byte is.
#include <gtest/gtest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include "error_of.hpp"
#include "hone/plugin.hpp"
#include "test_folders.hpp"
#include "torch_lm/text/jinja/template.hpp"

namespace hone::lm::jinja {
namespace {

using nlohmann::ordered_json;
using Variables = std::vector<std::pair<std::string, Value>>;

Value value_of(Budget& budget, const ordered_json& from) {
    if (from.is_boolean()) return from.get<bool>();
    if (from.is_number_integer()) return from.get<std::int64_t>();
    if (from.is_number()) return from.get<double>();
    if (from.is_string()) return make_text(budget, Text(from.get<std::string>()));
    std::vector<Value> items;
    for (const auto& item : from) items.push_back(value_of(budget, item));
    if (from.is_array()) return make_list(budget, std::move(items));
    if (!from.is_object()) return None{};
    std::vector<std::pair<Value, Value>> entries;
    for (const auto& [key, item] : from.items())
        entries.emplace_back(make_text(budget, Text(key)), value_of(budget, item));
    return make_dict(budget, std::move(entries));
}

Text rendered(const std::string& text, const Variables& variables = {}, std::time_t now = 0) {
    return Template(text, "t.jinja", "take another").render(variables, now);
}

std::string refusal(const std::string& text) {
    return error_of([&] { rendered(text); });
}

TEST(Jinja, PrintsWhatTheJinja2OfTransformersPrints) {  // tests/full/chat_sample.py writes the expected texts
    std::ifstream file(HONE_TEST_SOURCE_DIR "/tests/torch_lm/chat/cases.json");
    const ordered_json cases = ordered_json::parse(file);
    Budget budget(0);
    Variables variables;
    for (const auto& [name, value] : cases["variables"].items()) variables.emplace_back(name, value_of(budget, value));
    std::size_t printed = 0;
    for (const auto& row : cases["rows"]) {
        const auto text = row[0].get<std::string>();
        if (row[1].is_null()) {
            EXPECT_THROW(rendered(text, variables, cases["now"]), Refused) << text;
            continue;
        }
        std::string got;
        EXPECT_EQ(error_of([&] { got = rendered(text, variables, cases["now"]).bytes(); }), "no error") << text;
        EXPECT_EQ(got, row[1].get<std::string>()) << text;
        ++printed;
    }
    EXPECT_GE(printed, 200u);
}

TEST(Jinja, ErrorsNamePlaceLineCauseAndCure) {
    EXPECT_EQ(refusal("a\n{{ b.c }}"), "t.jinja, line 2: 'b' is undefined; ask \"is defined\" first; take another");
    EXPECT_EQ(refusal("\n\n{{ 1 | nothing }}"),
              "t.jinja, line 3: the filter nothing is not known; write the template without it; take another");
    EXPECT_EQ(refusal("{% if 1 %}\n{% for x in [] %}\n"),
              "t.jinja, line 2: a block does not end; close it with {% endfor %}; take another");
    EXPECT_EQ(refusal("{{ [1,\n2\n"), "t.jinja, line 1: a tag does not end; close it with }}; take another");
    EXPECT_EQ(refusal("{% include 'x' %}"),
              "t.jinja, line 1: the tag include is not supported; write the template without it; take another");
    EXPECT_EQ(
        refusal("{{ raise_exception('roles must alternate') }}"),
        "t.jinja, line 1: the template refuses these messages: \"roles must alternate\"; give it messages that it "
        "takes; take another");
    EXPECT_EQ(refusal("{{ 'a'.split(1) }}"),
              "t.jinja, line 1: the argument sep of split is a value of the type int; give a str; take another");
    EXPECT_EQ(
        refusal("{{ 'a'|replace('b') }}"),
        "t.jinja, line 1: the argument new is left out; replace takes (old new count=), where = marks what may be "
        "left out; take another");
    EXPECT_EQ(refusal("{{ 'a' + 1 }}"),
              "t.jinja, line 1: str + int cannot be computed; convert one of them (|string, "
              "|int), or join texts with ~; take another");
}

// A template that never ends, or fills the memory, or the stack.
TEST(Jinja, HostileTemplatesAreStopped) {
    const char* endless = "does not come to an end";
    const auto stopped_by = [](const std::string& text, const char* cause) {
        EXPECT_NE(refusal(text).find(cause), std::string::npos) << text.substr(0, 80) << ": " << refusal(text);
    };
    const std::string loops = "{% for i in range(100000) %}{% for j in range(100000) %}";
    stopped_by(loops + "{% endfor %}{% endfor %}", endless);
    stopped_by(loops + "{{ i }}{% endfor %}{% endfor %}", endless);
    stopped_by("{% set ns = namespace(a='x') %}{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
               "64 MiB");
    stopped_by("{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
               endless);
    stopped_by("{% set ns = namespace(a=1) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}",
               "64 MiB");
    stopped_by("{% set ns = namespace(a=1) %}{% for i in range(200) %}{% set ns.a = [ns.a] %}{% endfor %}", "100 deep");
    stopped_by("{{ 'x' * 100000000 }}", "64 MiB");
    stopped_by("{{ ('x' * 60000000)|replace('x', 'yyyy') }}", endless);
    stopped_by("{{ ['x' * 30000000]|join('y')|list }}", endless);
    stopped_by("{{ ('x' * 30000000).splitlines()|length }}{{ ('\n' * 30000000).splitlines()|length }}", endless);
    stopped_by("{{ 9 ** 99 }}", "64 bits");
    stopped_by("{{ -9223372036854775807 - 2 }}", "64 bits");
    stopped_by("{{ (-9223372036854775807 - 1) // -1 }}", "64 bits");
    EXPECT_EQ(refusal("{{ (-9223372036854775807 - 1) % -1 }}"), "no error");
    stopped_by("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "1000 deep");
    stopped_by("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}", "200 deep");
    stopped_by("{{ " + std::string(5000, '-') + "1 }}", "200 deep");
    std::string sum = "1", ifs;
    for (int i = 0; i < 20000; ++i) sum += " + 1";
    for (int i = 0; i < 1000; ++i) ifs += "{% if 1 %}";
    stopped_by("{{ " + sum + " }}", "5000 parts");
    stopped_by(ifs, "200 deep");
    stopped_by("{% set ns = namespace() %}{% set ns.a = ns %}", "cannot stand in a list, dict or namespace");
    stopped_by("{% for i in range(100000) %}{{ 'ab' * 100000 in 'ab' * 10000000 }}{% endfor %}", endless);
    stopped_by(std::string(2 << 20, 'x'), "more than 1 MiB");
}

std::string sources(const Text& text) {  // a letter for each byte: a, b: messages 0 and 1; -: the template
    std::string letters;
    for (const auto& [end, source] : text.spans())
        letters.resize(end, source < 0 ? '-' : static_cast<char>('a' + source));
    return letters;
}

std::string sources(const std::string& text) {
    const auto held = [](const char* bytes, std::int32_t source) {
        return Value(std::make_shared<const Text>(bytes, source));
    };
    const Text result = rendered(text, {{"a", held(" x,Y ", 0)}, {"b", held("zz", 1)}});
    return result.bytes() + "|" + sources(result);
}

TEST(Jinja, TextKeepsItsSource) {
    EXPECT_EQ(sources("<{{ a }}>{{ b }}"), "< x,Y >zz|-aaaaa-bb");
    EXPECT_EQ(sources("{{ '<' + a + b ~ '>' ~ 5 }}"), "< x,Y zz>5|-aaaaabb--");
    EXPECT_EQ(sources("{{ a|trim }}{{ a.strip() }}{{ a[1:3] }}{{ b[::-1] }}"), "x,Yx,Yx,zz|aaaaaaaabb");
    EXPECT_EQ(sources("{{ (a ~ b)[4:6] }}{{ (a ~ b)[::-1][1:4] }}"), " zz Y|abbaa");
    EXPECT_EQ(sources("{{ a.split(',')[1] }}{{ a.split()|join(b) }}{{ [b, 'k']|join('-') }}"), "Y x,Yzz-k|aaaaabb--");
    EXPECT_EQ(sources("{{ a.replace(',', '<|>') }}{{ 'pqp'|replace('q', b) }}"), " x<|>Y pzzp|aa---aa-bb-");
    EXPECT_EQ(sources("{{ (a ~ 'k')|upper }}{{ b|title }}"), " X,Y KZz|aaaaa-bb");
    EXPECT_EQ(sources("{{ [b, 1]|tojson }}{{ {'k': b} }}"), "[\"zz\", 1]{'k': 'zz'}|bbbbbbbbbbbbbbbbbbbb");
    EXPECT_EQ(sources("{% set c %}<{{ b }}>{% endset %}{{ c }}{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(b) }}"),
              "<zz>[zz]|-bb--bb-");
    EXPECT_EQ(sources("{{ b|indent(1, true) }}{% for c in b %}{{ c }}.{% endfor %}{{ b|first }}{{ b|list|last }}"),
              " zzz.z.zz|-bbb-b-bb");
    EXPECT_EQ(sources("{{ 'yes' if b == 'zz' }}{{ b|length }}"), "yes2|----");
}

TEST(Jinja, AnEmptyMessageKeepsItsPlace) {
    const Variables given = {{"a", std::make_shared<const Text>("", 3)}};
    const Text text = rendered("<{{ a|trim ~ '' }}>", given);
    ASSERT_EQ(text.spans().size(), 3u);
    EXPECT_EQ(text.spans()[1].source, 3);
    EXPECT_EQ(text.spans()[1].end, 1u);
}

}  // namespace
}  // namespace hone::lm::jinja
