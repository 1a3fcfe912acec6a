/* hone/verifier.h: how candidates of one language are built and launched on one kind of device. Interface
 * "hone.verifier/1", in a bench, on its one thread; only brief and facts are also asked in the engine. Keys, poison,
 * red zones and the comparison with truth are the judge's, so that no verifier can forget them. Extensions:
 * hone/ext/{device_data,prepack,probe,rules,timing}.h. */
#ifndef HONE_VERIFIER_H
#define HONE_VERIFIER_H
#include "hone/call.h"
#include "hone/checks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hone_verifier {
    uint32_t size;

    /* Also in the engine: needs no device and no bench services. out: "text" (for the prompt), "fences" (languages of
     * an answer's blocks, with blanks between: "cuda lua"), "prototype", "tier" ("host", "device": shown beside each
     * verdict as its trust); "empty" (a program that does nothing, where there is one). hone/arguments.hpp has the
     * arguments of a task's programs. */
    hone_rc (*brief)(void* self, const hone_doc* task, hone_out* out);

    /* The bench's context, made current, and its queue, to which all work goes. FAILED: there is no device here, and
     * open only builds. */
    hone_rc (*device)(void* self, hone_device* out);

    /* Builds and loads a candidate (documents.md). A bad candidate is no error: OK, *subject is null, and facts say
     * "verdict" (one of those in documents.md, usually COMPILE_ERROR), "reason", "log". "no_score" says why a judgement
     * is no score whatever it finds ("flags -Ofast"); "resources" is one line for people about the built program
     * ("registers 32, spills 0 B"). close ends whatever of it still runs. */
    hone_rc (*open)(void* self, const hone_doc* task, const hone_doc* candidate, void** subject, hone_out* facts);
    void (*close)(void* subject);

    /* Queues one call and does not wait. */
    hone_rc (*launch)(void* subject, const hone_call* call);

    /* Until the call has ended, `seconds` at most. inside: see hone_run.wait. FAILED: the candidate crashed, hung or
     * broke a rule; end gets "verdict" and "reason", and the subject is then closed. */
    hone_rc (*wait)(void* subject, double seconds, double* inside, hone_out* end);

    /* Memory of the judge's arena, before open. writable 0: the candidate may only read there (inputs); 1: it may write
     * (outputs); 2: never mapped for it (truth). at: a device address, a multiple of 64. */
    hone_rc (*reserve)(void* self, uint64_t bytes, int32_t writable, uint64_t* at);
    hone_rc (*release)(void* self, uint64_t at);
    hone_rc (*write)(void* self, uint64_t at, const void* from, uint64_t bytes);
    hone_rc (*read)(void* self, uint64_t at, void* to, uint64_t bytes);

    /* Comparisons of tensors in that memory. */
    const hone_checks* checks;

    /* Optional, also in the engine. For the record: product, driver, memory, compiler; for `hone doctor` "ready" (a
     * text: what it needs, and has here) and "cure" (where something is missing). What no program can exceed:
     * "flops_per_second", "flops_per_second_CLASS" of a tolerance class, "bytes_per_second"; where that depends on the
     * footprint "bytes_per_second_within_N", all cores together while each touches N bytes over and over, and "cores".
     * "host_code" 1: candidates' code on the host commands the device, also beside a clock. Their inputs then come
     * within the time, which ends with a look at their outputs (hone_run.look); the verifier names an empty program,
     * which answers null calls at the tensors of its last prepare. "leaves_traces" 1: a program can leave words for a
     * later process (a file's times): no timed call gets an earlier process's inputs. "process_spread" (s): as a
     * timer's, where more than the clock differs from process to process; the larger counts. "language_seconds" (s):
     * a call's part beside its work, which the reference lacks and `hone judge` tells. Cheap: asked often. */
    hone_rc (*facts)(void* self, hone_out* out);

    /* Optional, constant JSON: which programs are this verifier's, and what suits them.
     *   fence      "cuda"       (required) the language's name in answers      also     ["cu"]   its other names there
     *   files      [".cu"]      endings of files, the usual first    headers  [".cuh"]
     *   comment    "// "        begins a comment                     suite    "gpu-basics": of a bare task name
     *   timer      "cuda-events", reference "torch": the usual ones  otherwise true: .txt, .md, and no ending too
     *   careful    {..}, zoo {..}: options of the judge for one program, and for the zoo
     *   closely    {..}: options of this verifier for one program */
    const char* takes;
} hone_verifier;

#ifdef __cplusplus
}
#endif
#endif
