#include "endings.hpp"

namespace http {
namespace {

bool out_of_money(const Reply& reply, const Complaint& complaint) {
    return reply.status == 402 || complaint.code == "insufficient_quota" || complaint.code == "insufficient_balance";
}

}  // namespace

std::string ending_of(const Settings& settings, const Reply& reply, const Complaint& complaint) {
    const std::string who = settings.provider + "/" + settings.model, status = std::to_string(reply.status);
    if (reply.status == 401 || reply.status == 403)  // the server's own words may quote the key: they are left out
        return settings.provider + " refused the key (" + status + "); put a valid one into the environment variable " +
               (settings.key_env.empty() || settings.key_env == "none" ? "named by key_env" : settings.key_env);
    if (reply.status == 404)
        return who + ": no such model or address (404): " + complaint.message + "; asked at " + settings.address;
    if (out_of_money(reply, complaint))
        return who + ": the account's quota is spent (" + status + "): " + complaint.message;
    return "";
}

}  // namespace http
