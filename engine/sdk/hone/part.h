/* hone/part.h: what every part exports, and the plain types of the boundary between hone and a part (C11, C++11 or
 * later). Draft until 1.0 is released: see CHANGELOG.md. hone/documents.md lists the keys of every document.
 *
 * PROCESSES  The engine makes policies, prompts and shapers and calls them on the script's thread, but see THREADS. A
 *            bench (one a device, on a CPU one a core, expendable) makes verifier, reference and timer and calls
 *            them on its one thread. A part reaches a bench as id, checked options and file hash.
 * THREADS    The functions of one object are called by one thread at a time. `sample` of a policy whose fact "device"
 *            is "remote" runs on a thread of its own, beside that of others: what objects share (statics) they guard.
 *            Threads of a part's own may call host->log and host->stop, and nothing else of the host.
 * OWNERSHIP  Arguments are borrowed until the call returns (options and host: until destroy). Results go into the
 *            caller's memory or through a callback that copies at once. Nothing crosses to be freed by the other side.
 *            Libraries are never unloaded.
 * ERRORS     A function reports with `return host->fail(host->ctx, code, text)`. A wrong kernel is a verdict and one
 *            failed request is an answer: neither is an error of the part.
 * GROWTH     Structs begin with their size. A function that is null or past the end is not offered. Optional
 *            capabilities are extensions: tables of functions that the host finds by their id.
 * UNITS      Seconds, bytes, hertz, US dollars; natural logarithms; text is UTF-8 and not terminated. */
#ifndef HONE_PART_H
#define HONE_PART_H
#include <stddef.h>
#include <stdint.h>
#define HONE_MAJOR 1
#define HONE_MINOR 0

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t hone_rc;
enum {
    HONE_OK = 0,
    HONE_REFUSED = 1, /* the call or an option was wrong: the script stops, its line is blamed */
    HONE_FAILED = 2,  /* this item only: recorded as unscorable, never as a bad score; the run goes on, unless the
                         function's header says otherwise */
    HONE_BROKEN = 3   /* this object is of no further use: a bench is started again, an engine's part stops the run */
};

typedef struct hone_text {
    const char* at; /* len bytes of UTF-8, not terminated */
    size_t len;
} hone_text;

/* An opaque read-only tree: options, a task, an exemplar, a judgement. The host's num, text and count read it by dotted
 * paths: "speedup.lower", "inputs.0.name". */
typedef struct hone_doc hone_doc;

/* A flat record that the part fills. Unknown keys are kept and shown. Keys are terminated, not null; all is copied. */
typedef struct hone_out {
    void* ctx;
    void (*num)(void* ctx, const char* key, double value);
    void (*text)(void* ctx, const char* key, hone_text value);
} hone_out;

/* One option of a part. The host checks every given value and fills in presets before create. */
typedef struct hone_option {
    const char* name;    /* null ends a table */
    const char* kind;    /* "bool", "int", "num", "text", "choice" or "path" */
    const char* preset;  /* the default as text; null as "" */
    const char* allowed; /* "a|b|c" of a choice, "least..most" of int and num (1.. or ..9: one end), or null */
    const char* doc;     /* one line for `hone plugins` */
} hone_option;

/* An optional capability: the id names the struct behind functions (headers of hone/ext/). An extension is the part's,
 * not an instance's: its functions take the same self, subject or program as the interface's own. */
typedef struct hone_extension {
    const char* id; /* "hone.verifier.timing/1"; null ends a table */
    const void* functions;
} hone_extension;

struct hone_host;

/* The library's one exported symbol, constant data: `const hone_part hone_part_entry`. */
typedef struct hone_part {
    uint32_t size;
    uint16_t major, minor;         /* HONE_MAJOR and HONE_MINOR of the headers that the part was built with */
    const char* interface_id;      /* "hone.timer/1" */
    const char* id;                /* "wall": the library's file is INTERFACE.ID.so, "timer.wall.so" */
    const char *version, *summary; /* the part's own version; one line of what it is for */
    const char* built_with;        /* the compiler, for the record */
    const hone_option* options;    /* ends with a null name; null: none */

    /* Makes an instance. host and options live until destroy. REFUSED: an option's value is of no use here. */
    hone_rc (*create)(const struct hone_host* host, const hone_doc* options, void** self);
    void (*destroy)(void* self);

    const void* functions;            /* the interface's struct: hone_timer, ... */
    const hone_extension* extensions; /* ends with a null id; null: none */
} hone_part;

/* The attribute keeps the symbol visible in libraries that are built with -fvisibility=hidden. */
extern __attribute__((visibility("default"))) const hone_part hone_part_entry;

#ifdef __cplusplus
}
#endif
#endif
