-- What is learnt from: programs of several teachers, conversations of a file.
local hone = require "hone"
local test = require "harness"
local tests = {}

-- Teachers of one run, in the order in which they are given, each with its own trials.
function tests.several_teachers_write_one_corpus()
    local it = test.stage_setting()
    local only = it.run:suite("fake", { only = "axpy" })
    local function teacher(text) return it.run:policy(function() return text end) end
    local right, other, wrong = teacher "3 1 4", teacher "3 1 5", teacher "5 1 4"
    local corpus = it.run:collect { teacher = { right, other, wrong, right }, suite = only, judge = it.judge, trials = 3, keep = 2 }
    local written, tried = {}, {}
    for _, item in ipairs(corpus.items) do written[#written + 1] = item.teacher .. " " .. item.code end
    for _, sample in ipairs(corpus.samples) do tried[sample.teacher] = (tried[sample.teacher] or 0) + 1 end
    test.equal(written, { right.name .. " 3 1 4", other.name .. " 3 1 5" })
    test.equal({ tried[right.name], tried[other.name], tried[wrong.name] }, { 4, 2, 3 })
end

-- Of a corpus that is extended, too: a program that it holds is written once, and judged all the same.
function tests.an_extended_corpus_holds_a_program_once()
    local it = test.stage_setting()
    local only = it.run:suite("fake", { only = "axpy" })
    local own = { task = only[1], code = "3 1 5", language = "fake", log_speedup = 0 }
    local corpus = { items = { own }, samples = {} }
    for _, code in ipairs { "3 1 4", "3 1 4", "3 1 5" } do
        it.run:collect { teacher = it.run:policy(function() return code end), suite = only, judge = it.judge, trials = 2, keep = 2, into = corpus }
    end
    test.equal({ #corpus.items, corpus.items[2].code, #corpus.samples }, { 2, "3 1 4", 6 })
end

-- A file of conversations, as others write and read it.
local function conversations(it)
    local path = it.run.folder .. "/conversations.jsonl"
    local file = assert(io.open(path, "w"))
    file:write('{"messages": [{"role": "user", "content": "the question"}, {"role": "assistant", "content": "3 1 4"}]}\n')
    file:close()
    return hone.corpus(path)
end

function tests.conversations_are_learnt_as_they_stand()
    local it = test.stage_setting()
    local policy, only = it.run:policy("bigram"), it.run:suite("fake", { only = "axpy" })
    local function asked()
        local groups = it.run:rollout {
            policy = policy, judge = it.judge, temperature = 0.0, max_tokens = 8,
            prompts = { { task = only[1], messages = { { role = "user", text = "the question" }, fenced = false } } },
        }
        return groups[1].members[1].text
    end
    test.is(asked() ~= "3 1 4", "it knows the answer before it has learnt")
    local done = it.run:sft { policy = policy, corpus = conversations(it), updates = 40, batch = 1, lr = 0.5, warm_up = 1, weight_decay = 0.0 }
    test.equal({ done.updates, asked() }, { 40, "3 1 4" })
end

function tests.conversations_stand_beside_programs_and_are_replayed()
    local it = test.stage_setting()
    local policy, talk = it.run:policy("bigram"), conversations(it)
    local given = { policy = policy, prompt = it.prompt, epochs = 1, batch = 1, lr = 0.5, warm_up = 1, weight_decay = 0.0 }
    given.corpus = it.corpus
    local alone = it.run:sft(given).updates
    given.corpus, given.adapt = { it.corpus, talk }, false
    test.equal(it.run:sft(given).updates, alone + 1)
    local done = it.run:self_supervised {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, corpus = talk, rounds = 1, group = 8, batch = 1, epochs = 1,
        lr = 0.2, weight_decay = 0.0, max_tokens = 32, replay = 1.0, exemplars = "none",
    }
    test.equal(done.updates % 2, 0)
    test.is(done.updates > 0, "nothing passed")
end

-- Of a conversation, or of a program of one's own, nobody knows the machine code: a copy of it would be taken for novel.
function tests.novelty_needs_machine_code()
    local it = test.stage_setting()
    local only = it.run:suite("fake", { only = "axpy" })
    local function evaluate(corpus)
        local policy = it.run:policy(function() return "3 1 4" end)
        return it.run:evaluate { policy = policy, suite = only, judge = it.judge, row = "copies", group = 1, corpus = corpus }
    end
    local own = { items = { { task = only[1], code = "3 1 4", language = "fake", log_speedup = 0 } } }
    for _, corpus in ipairs { conversations(it), own } do
        local row = evaluate(corpus)
        test.equal(row.novel, nil)
        test.is(row.note:find("novel is left out: of 1 of the corpus's conversations and programs no machine code is known", 1, true), row.note)
    end
    local copied = it.run:collect { teacher = it.run:policy(function() return "3 1 4" end), suite = only, judge = it.judge, trials = 1, keep = 1 }
    test.equal(evaluate(copied).novel, 0.0)
end

return tests
