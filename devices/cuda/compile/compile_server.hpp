// One compile server (hone-nvrtc) as the verifier holds it.
#pragma once
#include <string>
#include <vector>
#include "cuda/compile/nvrtc_page.hpp"
#include "hone/plugin.hpp"

namespace hone::cuda {

struct CompileRequest {
    const std::string& source;
    std::vector<std::string> options, headers;
};

struct Product {
    CompileReply reply;
    std::string log, cubin;  // as the child left them
};

class CompileServer {
public:
    // Starts it and waits until it is warm. Throws Failed with the server's reason.
    CompileServer(const Host&, const std::string& program, const ServeMessage&);
    ~CompileServer();
    CompileServer(const CompileServer&) = delete;
    // False: the server has ended.
    bool compile(const CompileRequest&, Product&);
    std::string version() const;

private:
    bool tell(const void* message, std::uint64_t bytes, const std::vector<int>& files, void* reply, std::uint64_t room,
              double seconds);

    const hone_host* host_;
    const double seconds_;
    hone_jail jail_{};
    ServeReply serves_;
};

}  // namespace hone::cuda
