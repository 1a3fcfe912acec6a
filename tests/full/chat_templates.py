"""Compares policy.torch-lm's chat templates with transformers, and its Jinja with Jinja2.

usage: chat_templates.py PEER_PROGRAM SOURCE_FOLDER [--sample]     --sample: writes tests/torch_lm/chat_template_sample.json instead, on which every build is tested
"""
import json, os, sys, time
import chat_conversations as chats, environment

PACKAGES = ["transformers==5.24.0", "jinja2==3.1.6"]
NOW = 1764000000  # 24 November 2025


def reference():
    """render(template, variables) -> text, or None where Jinja2 refuses; as transformers sets it up."""
    from transformers.utils import chat_template_utils

    def render(template, variables, messages=None, open_=False):
        goes_on = open_ and bool(messages) and messages[-1][0] == "assistant"
        try:
            if messages is None:
                return chat_template_utils._compile_jinja_template(template).render(**variables)
            conversation = [{"role": role, "content": text} for role, text in messages]
            rendered, _ = chat_template_utils.render_jinja_template([conversation], chat_template=template, continue_final_message=goes_on,
                                                                    add_generation_prompt=open_ and not goes_on, **variables)
            return rendered[0]
        except Exception:  # of Jinja2, of Python's operators, of raise_exception
            return None
    return render


def compare_expressions(peer, render):
    wrong, refused, known, total = 0, 0, 0, 0
    for template in chats.expressions():
        if "strftime_now" in template:
            continue
        theirs, ours = render(template, chats.VARIABLES), peer.ask(jinja=template, variables=chats.VARIABLES, now=NOW)
        total += 1
        if theirs == ours.get("text"):
            continue
        if theirs is not None and "error" in ours:
            refused += 1  # says so, and writes nothing wrong
        elif chats.is_known(template):
            known += 1
        else:
            wrong += 1
            print(f"  {template!r}: theirs {theirs!r:.90}, ours {ours.get('text', ours.get('error'))!r:.140}")
    print(f"{total} templates of Jinja: {wrong} wrong, {known} differ as chat_conversations.py says, {refused} are refused that Jinja2 takes")
    return wrong


def compare_chats(peer, render, source):
    wrong, trimmed, total = 0, 0, 0
    for name, template, tokens in chats.templates(source):
        for messages in chats.conversations():
            for open_ in (False, True):
                theirs = render(template, tokens, messages, open_)
                ours = peer.ask(chat=template, special_tokens=tokens, messages=messages, open=open_, now=NOW)
                total += 1
                if theirs == ours.get("text"):
                    continue
                if chats.trims(messages, open_):
                    trimmed += 1
                    continue
                wrong += 1
                print(f"  {name}, {messages!r:.120}, open {open_}:\n    theirs {theirs!r:.300}\n    ours   {ours.get('text', ours.get('error'))!r:.300}")
    print(f"{total} conversations: {wrong} wrong, {trimmed} where an answer that the template trims goes on")
    return wrong


def write_sample(render, source):
    rows = []
    for name, template, tokens in chats.templates(source):
        for messages in list(chats.conversations())[::5]:
            for open_ in (False, True):
                if chats.trims(messages, open_):
                    continue
                rows.append([name, tokens, messages, open_, render(template, tokens, messages, open_)])
    with open(os.path.join(source, "tests/torch_lm/chat_template_sample.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def main(program, source, *flags):
    if "--inside" not in flags:
        environment.run_inside("chat-templates", PACKAGES, __file__)
    os.environ["TZ"] = "UTC"
    time.tzset()
    render = reference()
    if "--sample" in flags:
        return write_sample(render, source)
    peer = environment.Peer(program)
    sys.exit(1 if compare_expressions(peer, render) + compare_chats(peer, render, source) else 0)


main(*sys.argv[1:])
