"""hone serve and its clients: the official openai package talks to it, and 64 clients stream from it at once for two minutes.

usage: serve_clients.py HONE_PROGRAM [seconds]     (the tiny model of torch-lm, on the CPU)"""
import json, os, subprocess, sys, threading, time, urllib.error, urllib.request
import environment

PROMPT = "<|task|>axpy<|code|>"
CLIENTS = 64


class Serving:
    def __init__(self, hone, *flags, key=None):
        variables = {**os.environ, **({"HONE_SERVE_KEY": key} if key else {})}
        self.process = subprocess.Popen([hone, "serve", "tiny", "--port", "0", *flags], stdout=subprocess.PIPE, text=True, env=variables)
        self.url = self.process.stdout.readline().split(" at ")[1].strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(60) != 0:
            sys.exit(f"hone serve ended with code {self.process.returncode}")


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, not {wanted!r}")
    print(f"{what}: as wanted", flush=True)


def raised(call, **named):
    try:
        call(**named)
    except Exception as error:
        return type(error).__name__
    return "nothing"


def official(hone):
    import openai
    with Serving(hone, key="secret-of-serve") as serving:
        client = openai.OpenAI(api_key="secret-of-serve", base_url=serving.url, max_retries=0)
        expect("models", [model.id for model in client.models.list()], ["tiny"])
        create = client.chat.completions.create
        asked = {"model": "tiny", "messages": [{"role": "user", "content": "q"}], "max_tokens": 8, "seed": 3}
        whole = create(**asked, n=2, tools=[{"type": "function", "function": {"name": "f"}}], user="u")
        expect("chat", [choice.index for choice in whole.choices], [0, 1])
        chunks = list(create(**asked, stream=True, stream_options={"include_usage": True}))
        streamed = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        expect("chat stream", streamed, whole.choices[0].message.content)
        expect("chat stream, usage", chunks[-1].usage.prompt_tokens, whole.usage.prompt_tokens)
        text = client.completions.create(model="tiny", prompt=PROMPT, max_tokens=8, logprobs=1, extra_body={"return_token_ids": True})
        expect("completion, a log-probability a token", len(text.choices[0].logprobs.token_logprobs), len(text.choices[0].token_ids))
        expect("a wrong field", raised(create, **{**asked, "temperature": -1}), "BadRequestError")
        long = {**asked, "messages": [{"role": "user", "content": "x y " * 2000}]}
        for streamed in [False, True]:
            expect("a prompt beyond the context", raised(create, **long, stream=streamed), "BadRequestError")
        expect("another model", raised(create, **{**asked, "model": "gpt-9"}), "NotFoundError")
        stranger = openai.OpenAI(api_key="guessed", base_url=serving.url, max_retries=0)
        expect("a wrong key", raised(stranger.chat.completions.create, **asked), "AuthenticationError")
    with Serving(hone, "--requests", "1") as serving:
        client = openai.OpenAI(api_key="any", base_url=serving.url, max_retries=0)
        long = client.completions.create(model="tiny", prompt=PROMPT, max_tokens=4000, stream=True)
        next(iter(long))
        expect("beyond the limit", raised(client.completions.create, model="tiny", prompt=PROMPT), "RateLimitError")


def stream(url, seed):
    """One answer as a stream; returns its chunks, after the end that the server must tell."""
    body = json.dumps({"prompt": PROMPT, "max_tokens": 200, "seed": seed, "stream": True}).encode()
    lines = urllib.request.urlopen(urllib.request.Request(url + "/completions", body)).read().decode().splitlines()
    data = [line[6:] for line in lines if line.startswith("data: ")]
    if data[-1] != "[DONE]" or json.loads(data[-2])["choices"][0]["finish_reason"] not in ("stop", "length"):
        raise RuntimeError(f"an answer was cut: {data[-2:]}")
    return len(data)


def many(hone, seconds):
    answered, lost, refused = [], [], []
    end = time.monotonic() + seconds

    def client(number):
        while time.monotonic() < end:
            try:
                stream(serving.url, number)
                answered.append(number)
            except urllib.error.HTTPError as error:
                (refused if error.code == 429 and error.headers["Retry-After"] else lost).append(error)
                time.sleep(0.05)
            except Exception as error:
                lost.append(error)

    def all_at_once(count):
        for one in [answered, lost, refused]:
            one.clear()
        threads = [threading.Thread(target=client, args=(number,)) for number in range(count)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    with Serving(hone) as serving:
        begun = time.monotonic()
        all_at_once(CLIENTS)
        print(f"{CLIENTS} clients, {time.monotonic() - begun:.0f} s: {len(answered)} streams, {len(lost)} lost, {len(refused)} refused")
        if lost or refused or len(set(answered)) != CLIENTS:
            sys.exit(f"streams were lost: {lost[:3]}")
    end = time.monotonic() + 10
    with Serving(hone, "--requests", "16") as serving:
        all_at_once(CLIENTS)
        print(f"16 at once allowed: {len(answered)} streams, {len(lost)} lost, {len(refused)} refused with Retry-After")
        if lost or not refused or not answered:
            sys.exit(f"streams were lost, or none was refused: {lost[:3]}")


if "--inside" not in sys.argv:
    environment.run_inside("official-clients", environment.OFFICIAL_CLIENTS, __file__)
official(sys.argv[1])
many(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 3 else 120)
