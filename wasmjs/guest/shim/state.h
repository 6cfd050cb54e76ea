/* What host and guest share. The host finds shared at the address that run(OP_BOOT) returns; wasmjs/instance.go mirrors it. */

enum { SHIM_ABI = 1 };

static struct {
    uint32_t abi;          /* SHIM_ABI */
    uint32_t input;        /* where the host writes the input of the next operation */
    uint32_t input_cap;    /* how many bytes fit there */
    uint32_t output;       /* what the last operation left: JSON text */
    uint32_t output_len;
    uint32_t output_limit; /* most bytes of a result; set by the host before a call */
    uint32_t mark;         /* enum mark of the reported error */
    uint32_t rejections;   /* promises rejected without a handler so far */
    uint32_t pending;      /* host requests in flight */
    uint32_t has_timer;
    uint64_t timer_due;    /* guest time of the next timer, ns since the call began */
    uint64_t random_state; /* address of the state of Math.random */
} shared;

/* Marks tell the engine's own errors and those of host functions from errors the guest made. They are bits of the
   object itself that quickjs.patch adds, which no script can read or write. */
enum mark { MARK_NONE, MARK_OUT_OF_MEMORY, MARK_STACK_OVERFLOW, MARK_DENIED, MARK_LIMIT };

#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

/* Guest time in microseconds since the Unix epoch. */
IMPORT(clock) int64_t host_clock(void);
/* Nanoseconds of guest time since the call began. */
IMPORT(elapsed) uint64_t host_elapsed(void);
/* Seconds east of UTC at a Unix time, in the call's time zone. */
IMPORT(zone) int32_t host_zone(int64_t seconds);
IMPORT(log) void host_log(uint32_t level, const char *text, uint32_t len);
/* Starts request id (0: answers at once). 0: accepted; 1: failed; either way an answer at once has reply_len bytes
   of JSON and body_len bytes of body to be fetched with host_reply. 2: too many requests. */
IMPORT(request) int32_t host_request(uint32_t id, const char *op, uint32_t op_len, const char *json, uint32_t json_len,
                                     const uint8_t *body, uint32_t body_len);
IMPORT(reply_size) uint32_t host_reply_size(uint32_t part);
IMPORT(reply) void host_reply(uint32_t part, void *to);

static JSRuntime *rt;
static JSContext *ctx;
static JSValue out_of_memory; /* thrown when not even an error can be made */

static void mark_error(JSValueConst error, enum mark mark)
{
    if (JS_VALUE_GET_TAG(error) == JS_TAG_OBJECT)
        JS_VALUE_GET_OBJ(error)->shim_mark = mark;
}

static enum mark mark_of(JSValueConst error)
{
    return JS_VALUE_GET_TAG(error) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(error)->shim_mark : MARK_NONE;
}

/* Called by the patched engine right after it has raised its own error. Where memory did not even suffice for an
   error, the one made at boot stands in. */
static void shim_raised(JSContext *c, int mark)
{
    JSValue raised = c->rt->current_exception;

    if (JS_VALUE_GET_TAG(raised) != JS_TAG_OBJECT)
        JS_Throw(c, js_dup(out_of_memory));
    else if (mark_of(raised) == MARK_NONE)
        mark_error(raised, mark);
}

/* The only clock: the host's. It does not move while a tool loads. */
int gettimeofday(struct timeval *restrict tv, void *restrict unused)
{
    int64_t us = host_clock();

    (void)unused;
    tv->tv_sec = us / 1000000;
    tv->tv_usec = us % 1000000;
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    uint64_t ns = host_elapsed();

    (void)id;
    ts->tv_sec = ns / 1000000000;
    ts->tv_nsec = ns % 1000000000;
    return 0;
}

struct tm *localtime_r(const time_t *restrict t, struct tm *restrict tm)
{
    memset(tm, 0, sizeof *tm);
    tm->tm_gmtoff = host_zone(*t);
    return tm;
}
