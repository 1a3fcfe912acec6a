// judge/service/lease.hpp: who may use the machine now. Building and verifying hold it shared (on a GPU verifying holds
// it exclusively); timing holds it exclusively, so that nothing else of hone runs meanwhile, in this program or another
// of the same user. A record lock on one file: a dead holder frees it.
#pragma once
#include <string>
#include "base/process.hpp"

namespace hone {

class Lease {
public:
    Lease();  // opens the file in the runtime folder; throws Error(environment)
    explicit Lease(const std::string& file);
    // Each waits until it has it and gives up what was held before. Who waits for exclusive use goes before later
    // comers.
    void share();
    void take();
    void release();

private:
    void lock(short kind, long byte);
    Fd file_;
};

std::string lease_file();  // $XDG_RUNTIME_DIR/hone/lease, else one in a folder of this user below /tmp

}  // namespace hone
