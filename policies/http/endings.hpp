// policies/http/endings.hpp: replies after which no retry and no other prompt can help.
#pragma once
#include <string>
#include "complaint.hpp"
#include "settings.hpp"
#include "transfers.hpp"

namespace http {

// Why nothing more is to be sent, with the cure; "": this reply is no reason.
std::string ending_of(const Settings&, const Reply&, const Complaint&);

// Of a reply that is untrusted.
std::string untrusted_text(const Settings&, const Reply&);

}  // namespace http
