// policies/http/provider/listing.hpp: what `hone models` shows of providers: those of hone.toml and those that are
// known.
#pragma once
#include "hone/plugin.hpp"

namespace http {

// ask: each that has its key is asked for its list of models (GET base_url/models), all at once.
void list_sources(bool ask, const hone::PolicyPart::OnSource& tell);

}  // namespace http
