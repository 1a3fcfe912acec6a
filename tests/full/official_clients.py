"""The providers' own Python packages talk to the server that plays the providers in our tests: what they read there is what they read from
the providers, so that policy.http is tested against the protocols and not against our reading of them.

usage: official_clients.py MOCK_PROVIDER"""
import json, subprocess, sys
import environment

TEXT = "```cpp\nint fäst() { return 1; }\n```"


class Mock:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.url = self.process.stdout.readline().strip()

    def play(self, step=None):
        """From now on. Returns the requests that came since the last call."""
        self.process.stdin.write(json.dumps({"text": TEXT, "then": step or {}}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, not {wanted!r}")
    print(f"{what}: as wanted")


def raised(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except Exception as error:
        return type(error).__name__
    return "nothing"


def fails(status, words):
    return {"status": status, "body": {"type": "error", "error": {"type": "an_error", "code": status, "message": words, "status": "FAILED"}}}


ERRORS = {400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError", 429: "RateLimitError", 500: "InternalServerError"}
ASKED = [{"role": "user", "content": "q"}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


def chat(mock):
    import openai
    client = openai.OpenAI(api_key="k", base_url=mock.url, max_retries=0)
    create = client.chat.completions.create
    mock.play()
    whole = create(model="m", messages=ASKED, tools=[TOOL], n=2)
    expect("openai chat", [choice.message.content for choice in whole.choices], [TEXT, TEXT])
    expect("openai chat, usage", (whole.usage.prompt_tokens, whole.usage.completion_tokens), (10, 10))
    chunks = list(create(model="m", messages=ASKED, stream=True, stream_options={"include_usage": True}))
    expect("openai chat stream", "".join(c.choices[0].delta.content or "" for c in chunks if c.choices), TEXT)
    expect("openai chat stream, end", [c.choices[0].finish_reason for c in chunks if c.choices][-1], "stop")
    expect("openai chat stream, usage", chunks[-1].usage.completion_tokens, 5)
    for status, name in ERRORS.items():
        mock.play(fails(status, "no"))
        expect(f"openai chat, {status}", raised(create, model="m", messages=ASKED), name)


def responses(mock):
    import openai
    client = openai.OpenAI(api_key="k", base_url=mock.url, max_retries=0)
    mock.play()
    whole = client.responses.create(model="m", input="q")
    expect("openai responses", (whole.output_text, whole.status, whole.usage.input_tokens_details.cached_tokens), (TEXT, "completed", 4))
    events = list(client.responses.create(model="m", input="q", stream=True))
    expect("openai responses stream", "".join(e.delta for e in events if e.type == "response.output_text.delta"), TEXT)
    expect("openai responses stream, end", events[-1].response.output_text, TEXT)
    mock.play(fails(429, "no"))
    expect("openai responses, 429", raised(client.responses.create, model="m", input="q"), "RateLimitError")


def messages(mock):
    import anthropic
    client = anthropic.Anthropic(api_key="k", base_url=mock.url.removesuffix("/v1"), max_retries=0)
    mock.play()
    asked = {"model": "m", "max_tokens": 9, "messages": ASKED}
    whole = client.messages.create(**asked)
    expect("anthropic messages", [b.text for b in whole.content if b.type == "text"], [TEXT])
    expect("anthropic messages, usage", (whole.usage.input_tokens, whole.usage.cache_read_input_tokens, whole.usage.output_tokens), (6, 4, 5))
    with client.messages.stream(**asked) as stream:
        expect("anthropic messages stream", "".join(stream.text_stream), TEXT)
        final = stream.get_final_message()
    expect("anthropic messages stream, end", (final.stop_reason, final.usage.output_tokens), ("end_turn", 5))
    for status, name in ERRORS.items():
        mock.play(fails(status, "no"))
        expect(f"anthropic messages, {status}", raised(client.messages.create, **asked), name)


def gemini(mock):
    from google import genai
    client = genai.Client(api_key="k", http_options={"base_url": mock.url.removesuffix("/v1"), "api_version": "v1beta"})
    mock.play()
    whole = client.models.generate_content(model="m", contents="q")
    expect("google-genai", (whole.text, whole.candidates[0].finish_reason.name), (TEXT, "STOP"))
    expect("google-genai, usage", (whole.usage_metadata.prompt_token_count, whole.usage_metadata.thoughts_token_count), (10, 2))
    chunks = list(client.models.generate_content_stream(model="m", contents="q"))
    expect("google-genai stream", "".join(chunk.text or "" for chunk in chunks), TEXT)
    expect("google-genai stream, end", chunks[-1].candidates[0].finish_reason.name, "STOP")
    for status, name in {400: "ClientError", 429: "ClientError", 500: "ServerError"}.items():
        mock.play(fails(status, "no"))
        expect(f"google-genai, {status}", raised(client.models.generate_content, model="m", contents="q"), name)


if "--inside" not in sys.argv:
    environment.run_inside("official-clients", environment.OFFICIAL_CLIENTS, __file__)
mock = Mock(sys.argv[1])
for protocol in (chat, responses, messages, gemini):
    protocol(mock)
