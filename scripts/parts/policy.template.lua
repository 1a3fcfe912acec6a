-- The template teacher: no language model, but the programs that a task file's own `template` function writes, with every choice drawn at
-- random, some of them slow and some of them mistakes. It knows the tasks; what a model learns from it, it learned from a person's templates.
return function(request)
    return request.task:template(request.rng)
end
