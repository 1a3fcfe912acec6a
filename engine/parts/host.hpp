// parts/host.hpp: the hone_host that one instance of a part is given.
#pragma once
#include <mutex>
#include <string>
#include <utility>
#include "hone/abi.h"
#include "parts/budget.hpp"

namespace hone {

std::uint64_t builds_started();  // by parts of this process, so far, as jails_started() (parts/handle.hpp)

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
    void pay_from(Budget* budget) { budget_ = budget; }
    bool settles() const { return settles_; }  // the part has said what it pays
    std::string waits() const;                 // any thread: what its requests wait for, in the part's words

private:
    static double left(void*);
    static hone_rc reserve(void*, double);
    static void settle(void*, double, double, int32_t);
    static void set_waits(void*, const char*);

    Budget* budget_ = nullptr;  // null: nobody counts
    bool settles_ = false;
    std::string name_, error_, service_error_;
    mutable std::mutex saying_;
    std::string waits_;
    hone_host functions_{};
};

}  // namespace hone
