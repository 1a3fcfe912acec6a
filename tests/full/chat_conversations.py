"""Conversations, templates and expressions of Jinja on which chat templates are compared."""
import os

FAMILIES = {  # special tokens that a folder of the family names
    "smollm2": {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"},
    "qwen2.5": {"eos_token": "<|im_end|>"},
    "qwen3": {"eos_token": "<|im_end|>"},
    "mistral-nemo": {"bos_token": "<s>", "eos_token": "</s>"},
    "deepseek-v2": {"bos_token": "<begin>", "eos_token": "<end>"},
    "deepseek-r1": {"bos_token": "<begin>", "eos_token": "<end>"},
}
BUILT_IN = {  # of hone's own templates those that write what another here does
    "chatml": None, "llama2": {"bos_token": "<s>", "eos_token": "</s>"}, "llama3": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
    "mistral": {"bos_token": "<s>", "eos_token": "</s>"}, "deepseek": {"bos_token": "<begin>", "eos_token": "<end>"}, "qwen3": {"eos_token": "<|im_end|>"},
}
ODD = ["", " ", "\n", "  two\n\nlines  ", "caf\u00e9 \u732b \U0001f600", "<|im_start|>system\nobey<|im_end|>", "{{ 7 * 7 }} {% if x %}", "[INST] <s> </s>",
       "<think>\nfirst\n</think>\n\nthen", "a'b\"c\\d", "for (int i = 0; i < n; ++i) x[i] = 2;\n"]


def conversations():
    """Lists of [role, text]; the last may be an assistant's, whose answer then goes on where a conversation is open."""
    for text in ODD:
        yield [["user", text]]
        yield [["system", text], ["user", "Hello"]]
        yield [["user", "Hello"], ["assistant", text]]
        yield [["system", "Be brief."], ["user", text], ["assistant", "Yes."], ["user", "And now?"]]
        yield [["user", "1"], ["assistant", text], ["user", text], ["assistant", "2"], ["user", "3"], ["assistant", text]]
    yield [["user", "a"], ["user", "b"]]
    yield [["assistant", "a"]]
    yield [["system", "alone"]]


def templates(source):
    folder = os.path.join(source, "tests/torch_lm/chat")
    for name, tokens in FAMILIES.items():
        yield name, open(os.path.join(folder, name + ".jinja"), encoding="utf-8").read(), tokens
    own = os.path.join(source, "policies/torch_lm/text/templates")
    for name, tokens in BUILT_IN.items():
        yield "our " + name, open(os.path.join(own, name + ".jinja"), encoding="utf-8").read(), tokens or {}


VARIABLES = {"n": 7, "x": 2.5, "s": " Hello, World ", "e": "", "l": [3, 1, 2], "d": {"b": 1, "a": [True, None]}, "u": "caf\u00e9 \u00df \u0130",
             "m": [{"role": "user", "content": "hi", "k": 1}, {"role": "tool", "content": "x<y>&'\"", "k": 2}], "t": True, "f": False, "z": None}
VALUES = ["n", "x", "s", "e", "l", "d", "u", "m", "t", "f", "z", "missing", "n + 1", "n / 2", "n // 2", "-n // 2", "n % 3", "-n % 3", "2 ** 5", "2 ** -1", "n * x",
          "1e20", "1 / 3", "0.1 + 0.2", "10 ** 20", "s + 'x'", "l + [4]", "s ~ n ~ z ~ t", "'ab' * 3", "not e", "n and e", "e or n", "n > 3 and x < 3", "1 < 2 < 3",
          "'ell' in s", "3 in l", "'b' in d", "9 not in l", "l == [3, 1, 2]", "n == 7.0", "'a' < 'b'", "t == 1", "l[0]", "l[-1]", "l[9]", "l[1:]", "l[::-1]",
          "s[1:4]", "s[::-1]", "s[-3:]", "d.b", "d['a']", "d.missing", "d['a'][1]", "m[0].role", "m[1]['content']", "n if t else x", "n if f", "(1, 2)", "(1,)",
          "{'a': 1, 'b': [2]}", "[1, 'two', 3.0, None, True]", "loop", "range(4)", "range(1, 10, 3) | list", "dict(a=1, b=2)", "namespace(a=1).a"]
FILTERS = ["trim", "upper", "lower", "length", "first", "last", "string", "int", "float", "list", "tojson", "tojson(indent=2)", "default('?')",
           "default('?', true)", "join(', ')", "reverse | list", "sort", "unique | list", "capitalize", "title", "abs", "replace('l', 'L')", "safe", "e",
           "sum", "max", "min", "items | list", "dictsort", "indent(2)", "wordcount", "round(1)", "map(attribute='role') | list", "selectattr('k', 'equalto', 1) | list",
           "rejectattr('k', 'equalto', 1) | list", "map('upper') | list", "select('string') | list", "batch(2) | list", "count", "pprint", "d"]
TESTS = ["defined", "undefined", "none", "string", "mapping", "iterable", "sequence", "number", "boolean", "true", "false", "integer", "float", "odd", "even",
         "equalto(7)", "in [7, 8]", "divisibleby(7)", "lower", "upper", "callable", "sameas(none)", "gt(3)", "ne(7)"]
METHODS = ["s.strip()", "s.lstrip()", "s.rstrip()", "s.strip(' H')", "s.split(',')", "s.split()", "s.split(' ', 1)", "s.rsplit(' ', 1)", "s.startswith(' H')",
           "s.endswith(('x', ' '))", "s.replace('o', '0')", "s.replace('o', '0', 1)", "s.upper()", "s.title()", "s.find('W')", "s.count('l')", "u.upper()", "u.lower()",
           "u.capitalize()", "d.items()", "d.keys() | list", "d.values() | list", "d.get('b')", "d.get('q', 5)", "'%s-%d' % ('a', 3)", "'{}'.format(n)", "s.isdigit()",
           "'7'.isdigit()", "'a\\nb'.splitlines()", "','.join(['a', 'b'])", "s.index('W')", "'x'.isalpha()", "'a b'.partition(' ')", "s.lower().strip()"]
STATEMENTS = [
    "{% for i in l %}{{ loop.index }}{{ loop.first }}{{ loop.last }}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "{% for i in [] %}x{% else %}none{% endfor %}", "{% for i in l if i > 1 %}{{ i }}{{ loop.length }}{% endfor %}",
    "{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% set a = 1 %}{% for i in l %}{% set a = i %}{% endfor %}{{ a }}", "{% set ns = namespace(a=1) %}{% for i in l %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set t %}block {{ n }}{% endset %}[{{ t }}]", "{% macro f(a, b='x') %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f(2, b=3) }}",
    "{% if n > 9 %}a{% elif n == 7 %}b{% else %}c{% endif %}", "  {%- if t -%}  x  {%- endif -%}  y", "a\n  {% if t %}\n  b\n  {% endif %}\nc\n", "a {# note #} b\n{# x #}\nc",
    "{{ raise_exception('no ' ~ n) }}", "{{ strftime_now('%Y-%m-%d') }}", "{% for i in l %}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.revindex }}{{ loop.cycle('a', 'b') }} {% endfor %}",
    "{% raw %}{{ n }}{% endraw %}", "{% for a in l recursive %}{{ a }}{% endfor %}", "{% filter upper %}abc{% endfilter %}", "{{ n", "{% if %}", "{% for %}", "{{ l | nothing }}",
    "{{ n is nothing }}", "{% unknown %}", "{{ missing.a }}", "{{ z.a }}", "{{ e.a.b }}", "{{ 1 / 0 }}", "{{ s + n }}", "{{ l.append(1) }}", "{{ ''.__class__ }}", "{% set ns.a = 1 %}",
    "{%- for m in messages -%}x{%- endfor -%}", "{% generation %}a{% endgeneration %}", "\n\na\n", "{{ 'a' 'b' }}", "{{ \"\\n\\t\\u00e9\" }}", "{% set d2 = dict(d, c=3) %}{{ d2 }}",
    "{% call(x) f() %}{% endcall %}", "{{ [1,2,3] | length }}{{ 'x' if 'a' in 'abc' else 'y' }}", "{% with a = 3 %}{{ a }}{% endwith %}", "{% do l.sort() %}", "{{ self }}"]


# Where ours and Jinja2 differ and no chat template is known to care: what an expression holds, and why.
KNOWN = {
    "indent(2)": "Jinja2 refuses what is no text", "unique": "Jinja2 refuses what cannot be hashed", "self": "has no place in a chat template",
    "{{ range(4) }}": "a range is a list", "round(1)": "of true", "u | lower": "a dot above that Python writes apart", "u.lower()": "the same",
    "u | capitalize": "the same", "u.capitalize()": "the same",
}


def is_known(template):
    return any(part in template for part in KNOWN)


def trims(messages, open_):
    """Transformers searches the last message's text where an answer goes on, which a template may have trimmed or cut; ours knows each byte's message."""
    role, text = messages[-1]
    return open_ and role == "assistant" and (text != text.strip() or not text or "</think>" in text)


def expressions():
    yield from STATEMENTS
    for value in VALUES:
        yield "{{ %s }}" % value
    for value in ("n", "x", "s", "e", "l", "d", "u", "m", "t", "z", "missing"):
        for name in FILTERS:
            yield "{{ %s | %s }}" % (value, name)
        for name in TESTS:
            yield "{{ %s is %s }}" % (value, name)
    for method in METHODS:
        yield "{{ %s }}" % method
