#include "cuda/compile/compile_server.hpp"
#include <cstring>
#include "hone/shared_memory.hpp"

namespace hone::cuda {
namespace {

constexpr double start_seconds = 60;  // NVRTC is a library of 100 MB, which a cold disk may have

// What can be written is bounded; what was written is not believed.
void read_product(const hone_region& region, Product& product) {
    const char* at = static_cast<const char*>(region.at) + sizeof(ProductHead);
    ProductHead head;
    std::memcpy(&head, region.at, sizeof head);
    if (head.log_bytes > log_room || head.cubin_bytes > product_room - sizeof head - head.log_bytes) return;
    product.log.assign(at, head.log_bytes);
    product.cubin.assign(at + head.log_bytes, head.cubin_bytes);
}

void append(CompileMessage& message, std::size_t& used, const std::string& word) {
    if (used + word.size() + 1 > sizeof message.words)
        throw Refused("verifier.cuda: more compile options than a message holds");
    std::memcpy(message.words + used, word.c_str(), word.size() + 1);
    used += word.size() + 1;
}

}  // namespace

CompileServer::CompileServer(const Host& host, const std::string& program, const ServeMessage& asked)
    : host_(host.raw()), seconds_(asked.seconds + answer_seconds) {
    hone_jail_plan plan{};
    plan.size = sizeof plan;
    plan.runner = program.c_str();
    plan.threads = 1;
    host.check(host_->jail(host_->ctx, &plan, &jail_, nullptr),
               "verifier.cuda: the compile server could not be started");
    if (!tell(&asked, sizeof asked, {}, &serves_, sizeof serves_, start_seconds))
        std::snprintf(serves_.reason, sizeof serves_.reason, "it ended while it opened NVRTC");
    serves_.reason[sizeof serves_.reason - 1] = '\0';
    if (!serves_.reason[0]) return;
    jail_.end(jail_.ctx);
    throw Failed(std::string("verifier.cuda: no compile server: ") + serves_.reason);
}

CompileServer::~CompileServer() { jail_.end(jail_.ctx); }

std::string CompileServer::version() const {
    return std::to_string(serves_.major) + "." + std::to_string(serves_.minor);
}

bool CompileServer::compile(const CompileRequest& request, Product& product) {
    CompileMessage message{};
    message.source_bytes = request.source.size();
    message.n_options = static_cast<std::uint32_t>(request.options.size());
    message.n_headers = static_cast<std::uint32_t>(request.headers.size());
    std::size_t used = 0;
    for (const auto* words : {&request.options, &request.headers})
        for (const std::string& word : *words) append(message, used, word);
    const SharedMemory source(Host(host_), request.source.size(), false), made(Host(host_), product_room, true);
    std::memcpy(source.region().at, request.source.data(), request.source.size());
    product = {};
    if (!tell(&message, sizeof message, {source.region().file, made.region().file}, &product.reply,
              sizeof product.reply, seconds_))
        return false;
    read_product(made.region(), product);
    return true;
}

bool CompileServer::tell(const void* message, std::uint64_t bytes, const std::vector<int>& files, void* reply,
                         std::uint64_t room, double seconds) {
    std::uint64_t got = 0;
    const hone_rc told = jail_.tell(jail_.ctx, message, bytes, files.data(), static_cast<std::uint32_t>(files.size()),
                                    reply, room, &got, seconds, nullptr);
    return told == HONE_OK && got == room;
}

}  // namespace hone::cuda
