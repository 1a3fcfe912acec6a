#include "verifier_python/brief.hpp"

namespace hone::python {
namespace {

// The task's data, as forward gets them.
std::string arguments(const Doc& task) {
    std::string all = "self";
    for (long i = 0; i < task.count("inputs"); ++i) {
        const std::string at = "inputs." + std::to_string(i) + ".";
        if (!task.flag(at + "constant")) all += ", " + task.text(at + "name");
    }
    return all;
}

std::string weights(const Doc& task) {
    std::string all;
    for (long i = 0; i < task.count("inputs"); ++i) {
        const std::string at = "inputs." + std::to_string(i) + ".";
        if (task.flag(at + "constant")) all += (all.empty() ? "" : ", ") + task.text(at + "name");
    }
    return all;
}

}  // namespace

bool has_weights(const Doc& task) { return !weights(task).empty(); }

void tell_brief(const Doc& task, const std::string& device, Out out) {
    const std::string head = "def forward(" + arguments(task) + ")", of_module = weights(task);
    out.text("fences", "python");
    out.text("tier", device == "cpu" ? "host" : "device, host code");
    out.text("prototype", head);
    out.text(
        "text",
        "Write a Python module with a class ModelNew(torch.nn.Module) and its method\n\n    " + head + "\n\n" +
            (task.text("device.module").empty() ? "ModelNew is made without arguments"
                                                : "ModelNew is made with the arguments of Model, get_init_inputs()") +
            " on the device. Every call gets other values; forward returns the task's outputs as dense or strided "
            "tensors of " +
            device +
            ", with the task's dtype, and copying them out of the process is part of the time; a result that is one of "
            "the tensors of self.hone_outputs is "
            "not copied. Inputs cannot "
            "be written. " +
            (of_module.empty() ? ""
                               : "Before a call the weights (" + of_module +
                                     ") are copied into the parameters "
                                     "and buffers of the same name, with \"_\" for \".\", or of the same shape and "
                                     "order; then the method prepack(self) is called, if ModelNew has one. Neither "
                                     "is timed, and weights are new for each call. ") +
            "Gradients are off, and so is TF32 unless the tolerance says otherwise. " +
            (device == "cpu" ? "C++ by torch.utils.cpp_extension.load_inline, at the top of the module or in "
                               "__init__, is compiled"
                             : "Triton's kernels (where it is installed) are compiled, and so are C++ and CUDA by "
                               "torch.utils.cpp_extension.load_inline at the top of the module or in __init__") +
            "; torch.compile is not there, nor what needs torch._dynamo (custom_op, checkpoint). Processes, sockets "
            "and written files are refused.");
}

}  // namespace hone::python
