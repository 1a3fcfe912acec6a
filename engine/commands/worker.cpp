// `hone worker` and `hone bench`: the judge's own processes; frames on stdin and stdout (docs/wire.md).
#include "commands/command.hpp"
#include "judge/service/judge.hpp"

namespace hone {

Command worker_command() {
    return {"worker", "", "supervises benches; started by the judge",
            "",       {}, [](const Arguments&) { return worker_main(); },
            true};
}

Command bench_command() {
    return {"bench", "", "judges candidates one by one; started by a worker",
            "",      {}, [](const Arguments&) { return bench_main(); },
            true};
}

}  // namespace hone
