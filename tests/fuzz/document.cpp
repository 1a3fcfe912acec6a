// JSON documents that cross between processes: a job's header, a judgement, dotted paths into either. The first line is
// a path.
#include "base/frames.hpp"
#include "domain/judgement.hpp"
#include "judge/service/job.hpp"
#include "property.hpp"

using namespace hone;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text = fuzz::view(bytes, size);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const Json doc = Json::parse(text.substr(std::min(line + 1, text.size())), nullptr, false);
    if (doc.is_discarded()) return 0;
    if (const Json* found = find_path(doc, std::string(text.substr(0, line))))
        fuzz::hold(found->size() <= doc.dump().size(), "a path stays within");
    Job job;
    if (fuzz::taken([&] { job = Job::from_json(doc); }))
        fuzz::hold(Job::from_json(job.to_json()).to_json() == job.to_json(), "a job survives its frame");
    fuzz::taken([&] {
        const Json judgement = to_json(judgement_from_json(doc));
        fuzz::hold(to_json(judgement_from_json(judgement)) == judgement, "a judgement survives its record");
    });
    return 0;
}
