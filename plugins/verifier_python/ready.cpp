#include "verifier_python/ready.hpp"
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <map>
#include "verifier_python/zygote.hpp"

namespace hone::python {
namespace {

constexpr int most_looks = 200;  // looks, 50 ms apart: a cold disk

// Whether it finds torch, which is not imported: that takes seconds.
bool look_for_torch(const std::string& program) {
    // a folder of that name in the working folder has no origin
    const std::string look =
        "import importlib.util as u; t = u.find_spec('torch'); raise SystemExit(t is None or t.origin is None)";
    char* const arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>("-c"),
                               const_cast<char*>(look.c_str()), nullptr};
    posix_spawn_file_actions_t silence;
    posix_spawn_file_actions_init(&silence);
    for (int file = 0; file < 3; ++file) posix_spawn_file_actions_addopen(&silence, file, "/dev/null", O_RDWR, 0);
    pid_t child = 0;
    const bool begun = posix_spawn(&child, program.c_str(), &silence, nullptr, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&silence);
    if (!begun) return false;
    int status = -1;
    for (int look_number = 0; waitpid(child, &status, WNOHANG) == 0; ++look_number) {
        if (look_number == most_looks) kill(child, SIGKILL);
        usleep(50'000);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Asked once: facts are asked often.
bool has_torch(const std::string& program) {
    static std::map<std::string, bool> known;
    const auto found = known.find(program);
    return found != known.end() ? found->second : (known[program] = look_for_torch(program));
}

}  // namespace

void tell_ready(const std::string& python, bool works, bool gpu, Out out) {
    const std::string program = find_program(python);
    const bool torch = works || (!program.empty() && has_torch(program));
    const bool driver = !gpu || dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
    out.text("ready", (program.empty() ? "no program " + python : program + (torch ? " has torch" : " has no torch")) +
                          (driver ? "" : "; no driver (libcuda.so.1)"));
    if (!torch)
        out.text("cure",
                 "install torch there, or name a Python that has torch: --set verifier.python=PROGRAM, and for "
                 "`hone import` --python PROGRAM");
    else if (!driver)
        out.text("cure",
                 "programs in Python are judged on a machine with an NVIDIA GPU, or here by verifier.python-cpu");
}

}  // namespace hone::python
