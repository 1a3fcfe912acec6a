// The memory that a plan's steps name at one shape: inputs, outputs, workspaces.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "verifier_cuda/plan/plan.hpp"

namespace hone::cuda {

class PlanMemory {
public:
    struct Piece {
        std::string name, dtype;
        std::uint64_t bytes = 0;
        std::vector<std::int64_t> shape = {};  // empty: a workspace that has none
        bool early = true;                     // it may be used before a call: a constant or a workspace
        bool scalar = false;                   // a number, no memory that a step can name
    };
    // Reads root.workspaces; throws PlanError.
    PlanMemory(const Field& root, std::size_t shape, const TaskShapes&);

    std::uint32_t count() const { return static_cast<std::uint32_t>(pieces_.size()); }
    const Piece& operator[](std::uint32_t tensor) const { return pieces_[tensor]; }
    const std::vector<std::uint32_t>& zeroed() const { return zeroed_; }
    const Plan::Workspaces& workspaces() const { return workspaces_; }
    bool has_constants() const { return constants_; }
    void only_early(bool on) { only_early_ = on; }  // what find() may find
    bool are_only_early() const { return only_early_; }
    std::uint32_t find(const Field& name) const;  // number of the tensor, which is no scalar
    // Number of the scalar of that name, in a call; nullopt: there is none.
    std::optional<std::uint32_t> scalar(const Field& name) const;
    Spot spot(const Field& pair) const;  // {"partial", 1024}

private:
    void add_workspace(const std::string& name, const Field&);
    Piece workspace(const std::string& name, const Field&) const;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> zeroed_;
    bool constants_ = false, only_early_ = false;
    Plan::Workspaces workspaces_;
};

// tensor_map{...}, checked against the tensor that it describes. Throws PlanError.
TensorMap read_map(const Field&, const PlanMemory&);

}  // namespace hone::cuda
