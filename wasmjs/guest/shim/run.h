/* The one export. Each operation returns a status and leaves JSON text in shared.output. */

enum op { OP_BOOT, OP_INPUT, OP_PIECE, OP_LOAD, OP_CALL, OP_SETTLE, OP_TIMERS, OP_UNHANDLED };

enum status {
    DONE,            /* output: the result */
    WAITING,         /* for requests or timers */
    UNSETTLED,       /* nothing is pending, so the promise can never settle */
    THREW,           /* output: a report */
    REFUSED_OUTPUT,  /* output: {"path","message"} */
    LARGE_OUTPUT,
    BAD_INPUT,       /* output: a report */
    BAD_SOURCE,      /* output: a report of the syntax error */
    NO_ENTRY,        /* neither execute nor run is a function */
    DEEP_OUTPUT,
};

enum { STACK_RESERVE = 16 << 10, SMALL_INPUT = 4 << 10, UNHANDLED_KEPT = 16 };

/* What a call may allocate before the collector first looks for cycles: most calls end earlier. */
enum { GC_SLACK = 2 << 20 };

static char small_input[SMALL_INPUT];
static JSValue entry, result;
static JSValue unhandled[UNHANDLED_KEPT];

static int leave(int status)
{
    shared.output = (uint32_t)(uintptr_t)out.data;
    shared.output_len = out.failed ? 0 : out.len;
    return status;
}

static int leave_exception(int status)
{
    report(JS_GetException(ctx));
    return leave(status);
}

/* Keeps the first rejected promises that had no handler; OP_UNHANDLED tells which of them never got one. */
static void track_rejection(JSContext *c, JSValueConst promise, JSValueConst reason, bool handled, void *opaque)
{
    if (handled)
        return;
    if (shared.rejections < UNHANDLED_KEPT)
        unhandled[shared.rejections] = js_dup(promise);
    shared.rejections++;
}

/* With the real block sizes the engine's collector sees large buffers too; its own default reports none here. */
extern size_t malloc_usable_size(void *);
static size_t usable_size(const void *p) { return malloc_usable_size((void *)p); }

static int boot(void)
{
    static const JSMallocFunctions allocator = {
        js_def_calloc, js_def_malloc, js_def_free, js_def_realloc, usable_size,
    };
    JSValue global;

    shared.abi = SHIM_ABI;
    rt = JS_NewRuntime2(&allocator, NULL);
    if (!rt)
        return 0;
    rt->stack_limit = STACK_RESERVE; /* the C stack is [0, stack size): the engine's own check works on it */
    JS_SetHostPromiseRejectionTracker(rt, track_rejection, NULL);
    ctx = JS_NewContext(rt);
    if (!ctx)
        return 0;
    shared.random_state = (uint64_t)(uintptr_t)&ctx->random_state;
    out_of_memory = JS_NewInternalError(ctx, "out of memory");
    mark_error(out_of_memory, MARK_OUT_OF_MEMORY);
    global = JS_GetGlobalObject(ctx);
    JS_SetPropertyFunctionList(ctx, global, timer_functions, countof(timer_functions));
    JS_FreeValue(ctx, global);
    shared.input = (uint32_t)(uintptr_t)small_input;
    shared.input_cap = SMALL_INPUT - 1;
    buffer_reset(&out, UINT32_MAX);
    buffer_reserve(&out, 4000);
    entry = result = JS_UNDEFINED;
    loading = true;
    JS_RunGC(rt);
    return (int)(uintptr_t)&shared;
}

static char *input_text(uint32_t len)
{
    char *text = (char *)(uintptr_t)shared.input;

    text[len] = 0;
    return text;
}

/* Makes room for an input of len bytes. */
static int make_input(uint32_t len)
{
    char *text;

    if (len <= shared.input_cap)
        return DONE;
    text = malloc((size_t)len + 1);
    if (!text) {
        JS_ThrowOutOfMemory(ctx);
        return leave_exception(THREW);
    }
    shared.input = (uint32_t)(uintptr_t)text;
    shared.input_cap = len;
    return DONE;
}

/* Gives the input's memory back once its text has been read. */
static void drop_input(void)
{
    if (shared.input_cap < SMALL_INPUT)
        return;
    free((void *)(uintptr_t)shared.input);
    shared.input = (uint32_t)(uintptr_t)small_input;
    shared.input_cap = SMALL_INPUT - 1;
}

/* The input is a NUL-terminated name and a text of len bytes. */
static JSValue eval_input(uint32_t name_len, uint32_t len, int flags)
{
    const char *text = input_text(name_len + 1 + len);

    return JS_Eval(ctx, text + name_len + 1, len, text, JS_EVAL_TYPE_GLOBAL | flags);
}

/* Evaluates a function expression and calls it with native. */
static int load_piece(uint32_t name_len, uint32_t len)
{
    JSValue f = eval_input(name_len, len, 0), native, r;

    drop_input();
    if (JS_IsException(f))
        return leave_exception(BAD_SOURCE);
    native = native_object();
    r = JS_CallFree(ctx, f, JS_UNDEFINED, 1, vc(&native));
    JS_FreeValue(ctx, native);
    if (JS_IsException(r))
        return leave_exception(THREW);
    JS_FreeValue(ctx, r);
    return DONE;
}

/* Keeps what a job or a timer threw as an unhandled rejection. Returns false, with the exception pending again, when
   it was the engine that gave up. */
static bool keep_stray(void)
{
    JSValue e = JS_GetException(ctx), rejected;

    if (mark_of(e) != MARK_NONE) {
        JS_Throw(ctx, e);
        return false;
    }
    rejected = js_promise_resolve(ctx, ctx->promise_ctor, 1, vc(&e), 1);
    JS_FreeValue(ctx, e);
    JS_FreeValue(ctx, rejected);
    return true;
}

/* Runs every job there is. Returns false, with the exception pending, when the engine gave up in one. */
static bool run_jobs(void)
{
    JSContext *c;
    int r;

    while ((r = JS_ExecutePendingJob(rt, &c)))
        if (r < 0 && !keep_stray())
            return false;
    return true;
}

static int load_tool(uint32_t name_len, uint32_t len)
{
    static const char find[] =
        "typeof execute==='function'?execute:typeof run==='function'?run:undefined";
    JSValue v = eval_input(name_len, len, JS_EVAL_FLAG_COMPILE_ONLY);

    drop_input();
    if (JS_IsException(v))
        return leave_exception(BAD_SOURCE);
    v = JS_EvalFunction(ctx, v);
    if (JS_IsException(v))
        return leave_exception(THREW);
    JS_FreeValue(ctx, v);
    if (!run_jobs())
        return leave_exception(THREW);
    entry = JS_Eval(ctx, find, sizeof find - 1, "entry", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(entry))
        return leave_exception(THREW);
    ctx->eval_internal = NULL; /* from here on no text becomes code */
    loading = false;
    JS_RunGC(rt);
    JS_SetGCThreshold(rt, rt->malloc_state.malloc_size + GC_SLACK);
    return JS_IsFunction(ctx, entry) ? leave(DONE) : leave(NO_ENTRY);
}

static int finish(JSValue v)
{
    buffer_reset(&out, shared.output_limit);
    switch (json_value(&out, v, NULL)) {
    case JSON_OK: return leave(DONE);
    case JSON_THREW: return leave_exception(THREW);
    case JSON_TOO_LARGE: return leave(out.full ? LARGE_OUTPUT : DEEP_OUTPUT);
    case JSON_REFUSED: break;
    }
    report_refused();
    return leave(REFUSED_OUTPUT);
}

/* Runs jobs until the result is there or something outside must happen first. */
static int pump(void)
{
    JSPromiseData *p = JS_GetOpaque(result, JS_CLASS_PROMISE);

    if (!run_jobs())
        return leave_exception(THREW);
    switch (p->promise_state) {
    case JS_PROMISE_FULFILLED: return finish(js_dup(p->promise_result));
    case JS_PROMISE_REJECTED:
        p->is_handled = true;
        JS_Throw(ctx, js_dup(p->promise_result));
        return leave_exception(THREW);
    default: return shared.pending || timers ? WAITING : UNSETTLED;
    }
}

/* Whether v must be awaited: a promise, or anything with a then method. -1: an exception is pending. */
static int is_thenable(JSValueConst v)
{
    JSValue then;
    int r;

    if (!JS_IsObject(v))
        return 0;
    if (JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_PROMISE)
        return 1;
    then = JS_GetProperty(ctx, v, JS_ATOM_then);
    if (JS_IsException(then))
        return -1;
    r = JS_IsFunction(ctx, then);
    JS_FreeValue(ctx, then);
    return r;
}

static int call_tool(uint32_t len)
{
    JSValue arg = JS_ParseJSON(ctx, input_text(len), len, "input"), r;
    int thenable;

    drop_input();
    if (JS_IsException(arg))
        return leave_exception(BAD_INPUT);
    r = JS_Call(ctx, entry, JS_UNDEFINED, 1, vc(&arg));
    JS_FreeValue(ctx, arg);
    thenable = JS_IsException(r) ? -1 : is_thenable(r);
    if (thenable < 0)
        return leave_exception(THREW);
    if (!thenable)
        return finish(r);
    result = js_promise_resolve(ctx, ctx->promise_ctor, 1, vc(&r), 0);
    JS_FreeValue(ctx, r);
    return JS_IsException(result) ? leave_exception(THREW) : pump();
}

static int fire_timers(void)
{
    uint64_t now = host_elapsed();
    JSValue r;

    while (!JS_IsUninitialized(r = timer_fire(now))) {
        if ((JS_IsException(r) && !keep_stray()) || !run_jobs())
            return leave_exception(THREW);
        JS_FreeValue(ctx, r);
    }
    return pump();
}

/* Leaves the report of the i-th rejection that nobody handled; UNSETTLED: handled meanwhile; NO_ENTRY: no more. */
static int report_unhandled(uint32_t i)
{
    JSPromiseData *p;

    if (i >= shared.rejections || i >= UNHANDLED_KEPT)
        return NO_ENTRY;
    p = JS_GetOpaque(unhandled[i], JS_CLASS_PROMISE);
    if (!p || p->is_handled)
        return UNSETTLED;
    report(js_dup(p->promise_result));
    return leave(DONE);
}

__attribute__((export_name("run"), used)) int run(int op, uint32_t a, uint32_t b)
{
    switch (op) {
    case OP_BOOT: return boot();
    case OP_INPUT: return make_input(a);
    case OP_PIECE: return load_piece(a, b);
    case OP_LOAD: return load_tool(a, b);
    case OP_CALL: return call_tool(a);
    case OP_SETTLE: return request_settle(a, b) ? pump() : leave_exception(THREW);
    case OP_TIMERS: return fire_timers();
    case OP_UNHANDLED: return report_unhandled(a);
    }
    return NO_ENTRY;
}
