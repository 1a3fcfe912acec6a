// parts/host.hpp: the hone_host that one instance of a part is given.
#pragma once
#include <string>
#include <utility>
#include "hone/abi.h"

namespace hone {

class PartHost {
public:
    explicit PartHost(std::string name);
    PartHost(const PartHost&) = delete;  // parts hold its address
    const hone_host* functions() const { return &functions_; }
    const std::string& name() const { return name_; }
    hone_rc fail(hone_rc code, std::string text);
    // joins what the part says of it; "": it did not
    void service_failed(std::string text) { service_error_ = std::move(text); }
    std::string take_error();  // what the last fail said; forgotten then

private:
    std::string name_, error_, service_error_;
    hone_host functions_{};
};

}  // namespace hone
