-- The template teacher: no language model, but the programs that a task file's own `template` function writes, with every choice drawn
-- at random, some of them slow and some of them mistakes. What a model learns from it, it learns from a person's templates.
return function(request)
    if request.messages.fenced ~= false then
        error('policy "template" writes programs without fences, and this prompt asks for fences: leave `prompt` out of run:collect', 0)
    end
    return request.task:template(request.rng)
end
