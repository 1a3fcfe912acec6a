-- A stage for the tests: run:sample_stage{x=}.
local hone = require "hone"
return function(_, options) return 3 * hone.options(options, { x = 1 }, "run:sample_stage").x end
