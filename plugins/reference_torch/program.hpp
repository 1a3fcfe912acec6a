// A task's `reference` function, compiled in a closed Lua state of its own where torch.* are ATen's operators.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "hone/script_limits.hpp"
#include "operators.hpp"
#include "transcript.hpp"

namespace hone::torch_reference {

// What the first call at a shape taught about the ones after it: a reference is a pure function of its inputs, so its
// operators follow each other in the same order every time. Operators are numbered from 1; a tensor is known by the
// operator that made it and by its place among that operator's results.
struct Trace {
    using Born = std::pair<int, int>;
    // after this operator the tensor is given back, as Python's reference count would
    std::map<Born, int> last_use;
    std::map<int, std::size_t> writes;  // operator -> output that it can write in place
    bool complete = false;
    bool steady = true;  // false: an operator looked at values, so the order may change
};

struct Ran {
    std::size_t copied = 0;                // outputs that no operator could write in place
    double copy_seconds = 0, seconds = 0;  // of this call
};

class LuaProgram {
public:
    // source: the task file's text; index: which of its tasks (from 1), if it returns a list; float64: the form that
    // makes the truth; left_out: the operator (from 1) that gives back its first argument of fitting size instead of
    // its result, 0: none. Throws std::runtime_error naming the task.
    LuaProgram(std::string task, const std::string& source, long index, c10::Device device, bool float64,
               int left_out = 0);
    // Runs the function on inputs and leaves its results in outputs (dense, of the declared shape and dtype; names for
    // errors).
    Ran run(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs,
            const std::vector<std::string>& names, const std::vector<int64_t>& sizes);
    // The next call is written down there; null: no longer. Its sizes must be new to the program.
    void transcribe(Transcript* to) { transcript_ = to; }
    std::string operators() const;  // that the first call ran, in their order: "matmul, clamp"

private:
    struct Box;                            // a tensor in Lua
    static int call_operator(lua_State*);  // upvalue 1: const Operator*
    static int lookup_operator(lua_State*);
    static int tensor_field(lua_State*);
    static int tensor_text(lua_State*);
    template <const char* name> static int arithmetic(lua_State*);
    static Box* box_at(lua_State*, int index);
    static at::Tensor* tensor_at(lua_State*, int index);
    static void look(lua_State*, lua_Debug*);
    template <class Body> static int guarded(lua_State*, Body&&);

    void open_libraries();
    void make_tensor_type();
    void load(const std::string& source, long index);
    int push_arguments(lua_State*, const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs);
    void watch();
    std::string error_text(int status) const;  // of the error on top of the stack
    int apply(lua_State*, const Operator&);
    void leave_out(lua_State*, int top, torch::jit::Stack& results) const;
    void push(lua_State*, at::Tensor, Trace::Born);
    void push_results(lua_State*, torch::jit::Stack&);
    void count_bytes(const at::Tensor& made);
    void note_uses(lua_State*, int top);
    void use(Box*);
    Ran collect(lua_State*, const std::vector<at::Tensor>& outputs, const std::vector<std::string>& names);
    std::string wrong_type(const std::string& name, const at::Tensor& output, const at::Tensor& result) const;
    void release_all();

    struct Close {
        void operator()(lua_State* L) const { lua_close(L); }
    };
    std::string task_;
    c10::Device device_;
    Operators operators_;
    std::map<std::vector<int64_t>, Trace> traces_;  // by the call's sizes
    Transcript* transcript_ = nullptr;              // borrowed
    Trace* trace_ = nullptr;                        // of the call in flight
    const std::vector<at::Tensor>* outputs_ = nullptr;
    int step_ = 0;  // operators run so far in this call
    bool float64_;
    int left_out_;
    int parameters_ = 0;                  // of the function; INT_MAX: any number
    std::vector<const Operator*> first_;  // operators of the first call
    long calls_ = 0, instructions_ = 0;   // instructions: of Lua, in this call
    double made_bytes_ = 0;               // by operators of this call
    std::string place_;                   // of the last look in this call: "own.lua:3: "
    script_limits::Memory memory_{.most = script_limits::most_bytes};
    std::vector<Box*> live_;                 // every tensor of this call that Lua holds
    std::unique_ptr<lua_State, Close> lua_;  // last: closing it visits boxes
};

}  // namespace hone::torch_reference
