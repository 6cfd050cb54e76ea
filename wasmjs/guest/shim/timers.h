/* setTimeout, setInterval and their ends. Due times are guest time since the call began; the host sleeps until the
   first one and runs OP_TIMERS. The list is ordered by due time, then by age. */

typedef struct Timer {
    struct Timer *next;
    uint64_t due, interval; /* ns; interval 0 fires once */
    uint32_t id;
    int argc;
    JSValue callback, args[];
} Timer;

static Timer *timers;
static uint32_t last_timer;
static bool loading; /* the tool's source is being evaluated */

static void timers_publish(void)
{
    shared.has_timer = timers != NULL;
    shared.timer_due = timers ? timers->due : 0;
}

static void timer_insert(Timer *t)
{
    Timer **at = &timers;

    while (*at && (*at)->due <= t->due)
        at = &(*at)->next;
    t->next = *at;
    *at = t;
    timers_publish();
}

static void timer_free(Timer *t)
{
    JS_FreeValue(ctx, t->callback);
    for (int i = 0; i < t->argc; i++)
        JS_FreeValue(ctx, t->args[i]);
    js_free(ctx, t);
}

static uint64_t timer_delay(JSValueConst v) /* ms to ns, at least 1 ms as browsers have it, at most 2^31 ms */
{
    double ms;

    if (JS_ToFloat64(ctx, &ms, v))
        return UINT64_MAX;
    if (!(ms >= 1))
        ms = 1;
    if (ms > 2147483647.0)
        ms = 2147483647.0;
    return ms * 1e6;
}

static JSValue js_set_timer(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv, int repeats)
{
    uint64_t delay = timer_delay(argc > 1 ? argv[1] : JS_UNDEFINED);
    int extra = argc > 2 ? argc - 2 : 0;
    Timer *t;

    if (delay == UINT64_MAX)
        return JS_EXCEPTION;
    if (!JS_IsFunction(c, argv[0]))
        return JS_ThrowTypeError(c, "the first argument of setTimeout and setInterval must be a function");
    if (loading)
        return JS_ThrowTypeError(c, "timers cannot be set while the tool is loading; set them inside execute");
    t = js_malloc(c, sizeof *t + extra * sizeof(JSValue));
    if (!t)
        return JS_EXCEPTION;
    t->id = ++last_timer;
    t->due = host_elapsed() + delay;
    t->interval = repeats ? delay : 0;
    t->callback = js_dup(argv[0]);
    t->argc = extra;
    for (int i = 0; i < extra; i++)
        t->args[i] = js_dup(argv[i + 2]);
    timer_insert(t);
    return js_uint32(t->id);
}

static JSValue js_clear_timer(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    Timer **at, *t;
    double id;

    if (!JS_IsNumber(argv[0]) || JS_ToFloat64(c, &id, argv[0]))
        return JS_UNDEFINED;
    for (at = &timers; (t = *at); at = &t->next) {
        if (t->id == id) {
            *at = t->next;
            timer_free(t);
            timers_publish();
            break;
        }
    }
    return JS_UNDEFINED;
}

/* Runs the first timer if it is due. Returns JS_UNINITIALIZED when none is, else what the callback returned. */
static JSValue timer_fire(uint64_t now)
{
    Timer *t = timers;
    JSValue r;

    if (!t || t->due > now)
        return JS_UNINITIALIZED;
    timers = t->next;
    r = js_dup(t->callback);
    if (t->interval) {
        JSValue args[8];
        int argc = t->argc < 8 ? t->argc : 8;
        for (int i = 0; i < argc; i++)
            args[i] = js_dup(t->args[i]);
        t->due += t->interval; /* first, so that the callback can clear it */
        timer_insert(t);
        r = JS_CallFree(ctx, r, JS_UNDEFINED, argc, vc(args));
        for (int i = 0; i < argc; i++)
            JS_FreeValue(ctx, args[i]);
        return r;
    }
    timers_publish();
    r = JS_CallFree(ctx, r, JS_UNDEFINED, t->argc, vc(t->args));
    timer_free(t);
    return r;
}

static const JSCFunctionListEntry timer_functions[] = {
    JS_CFUNC_MAGIC_DEF("setTimeout", 2, js_set_timer, 0),
    JS_CFUNC_MAGIC_DEF("setInterval", 2, js_set_timer, 1),
    JS_CFUNC_DEF("clearTimeout", 1, js_clear_timer),
    JS_CFUNC_DEF("clearInterval", 1, js_clear_timer),
};
