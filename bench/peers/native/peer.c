/* Serves native QuickJS over the protocol of protocol.go, with no limits armed: what the engine costs at its best.
 * QuickJS itself reads the requests and writes the replies, in a context of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quickjs.h"

static const char adapter[] =
    "\nfunction callWithJSON(input) { return JSON.stringify(execute(JSON.parse(input))); }\n";

/* One loaded program: kept contexts live as long as the process, fresh ones as long as a call. */
typedef struct Program {
    struct Program *next;
    char *name, *source;
    JSRuntime *rt;  /* NULL: fresh */
    JSContext *ctx;
    JSValue call;
} Program;

/* What one request asks for. Strings live until the request has been answered. */
typedef struct {
    const char *action, *name, *mode, *source, *input;
    int n, warm, workers, millis;
} Request;

static Program *loaded;
static JSContext *desk; /* where requests are read and replies are written */

static double now_nanos(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Opening and calling. */

static int open_context(Program *p)
{
    JSValue result, global;
    p->rt = JS_NewRuntime();
    p->ctx = JS_NewContext(p->rt);
    result = JS_Eval(p->ctx, p->source, strlen(p->source), "tool.js", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(result))
        return -1;
    JS_FreeValue(p->ctx, result);
    global = JS_GetGlobalObject(p->ctx);
    p->call = JS_GetPropertyStr(p->ctx, global, "callWithJSON");
    JS_FreeValue(p->ctx, global);
    return 0;
}

static void close_context(Program *p)
{
    JS_FreeValue(p->ctx, p->call);
    JS_FreeContext(p->ctx);
    JS_FreeRuntime(p->rt);
    p->rt = NULL;
}

/* Returns the output, to be freed by the caller, or NULL when the program threw. */
static char *call_kept(Program *p, const char *input)
{
    JSValue argument = JS_NewString(p->ctx, input);
    JSValue result = JS_Call(p->ctx, p->call, JS_UNDEFINED, 1, &argument);
    const char *text = JS_IsException(result) ? NULL : JS_ToCString(p->ctx, result);
    char *output = text ? strdup(text) : NULL;
    JS_FreeCString(p->ctx, text);
    JS_FreeValue(p->ctx, result);
    JS_FreeValue(p->ctx, argument);
    return output;
}

static char *call_program(Program *p, const char *input)
{
    char *output;
    if (p->rt)
        return call_kept(p, input);
    output = open_context(p) ? NULL : call_kept(p, input);
    close_context(p);
    return output;
}

/* Replying. */

static JSValue failure(const char *what)
{
    JSValue reply = JS_NewObject(desk);
    JS_SetPropertyStr(desk, reply, "error", JS_NewString(desk, what));
    return reply;
}

static void send(JSValue reply)
{
    JSValue text = JS_JSONStringify(desk, reply, JS_UNDEFINED, JS_UNDEFINED);
    const char *line = JS_ToCString(desk, text);
    puts(line);
    fflush(stdout);
    JS_FreeCString(desk, line);
    JS_FreeValue(desk, text);
    JS_FreeValue(desk, reply);
}

/* Actions. */

static JSValue do_hello(void)
{
    JSValue reply = JS_NewObject(desk);
    JS_SetPropertyStr(desk, reply, "version", JS_NewString(desk, JS_GetVersion()));
    return reply;
}

static Program *new_program(const Request *r)
{
    Program *p = calloc(1, sizeof *p);
    size_t size = strlen(r->source) + sizeof adapter;
    p->name = strdup(r->name);
    p->source = malloc(size);
    snprintf(p->source, size, "%s%s", r->source, adapter);
    p->next = loaded;
    return loaded = p;
}

static JSValue do_load(const Request *r)
{
    Program *p = new_program(r);
    if (!strcmp(r->mode, "kept") && open_context(p))
        return failure("the program does not load");
    return JS_NewObject(desk);
}

static Program *find(const char *name)
{
    Program *p = loaded;
    while (p && strcmp(p->name, name))
        p = p->next;
    return p;
}

static JSValue do_run(const Request *r)
{
    Program *p = find(r->name);
    JSValue reply, nanos;
    char *output = NULL;
    int i;
    if (!p)
        return failure("the program is not loaded");
    reply = JS_NewObject(desk);
    nanos = JS_NewArray(desk);
    for (i = 0; i < r->warm + r->n; i++) {
        double begin = now_nanos();
        free(output);
        output = call_program(p, r->input);
        if (i >= r->warm)
            JS_SetPropertyUint32(desk, nanos, i - r->warm, JS_NewFloat64(desk, now_nanos() - begin));
    }
    JS_SetPropertyStr(desk, reply, "nanos", nanos);
    JS_SetPropertyStr(desk, reply, output ? "output" : "outcome", JS_NewString(desk, output ? output : "threw"));
    free(output);
    return reply;
}

static JSValue do_spin(const Request *r)
{
    Program *p = find(r->name);
    double end = now_nanos() + r->millis * 1e6;
    JSValue reply;
    int calls = 0;
    if (!p)
        return failure("the program is not loaded");
    if (r->workers > 1)
        return failure("one thread only");
    for (; now_nanos() < end; calls++)
        free(call_program(p, r->input));
    reply = JS_NewObject(desk);
    JS_SetPropertyStr(desk, reply, "calls", JS_NewInt32(desk, calls));
    return reply;
}

static JSValue do_hold(const Request *r)
{
    int i;
    for (i = 0; i < r->n; i++) {
        Program *p = new_program(r);
        char *output;
        if (!strcmp(r->mode, "kept") && open_context(p))
            return failure("the program does not load");
        output = call_program(p, r->input);
        if (!output)
            return failure("the program threw");
        free(output);
    }
    return JS_NewObject(desk);
}

static JSValue answer(const Request *r)
{
    if (!strcmp(r->action, "hello"))
        return do_hello();
    if (!strcmp(r->action, "load"))
        return do_load(r);
    if (!strcmp(r->action, "run"))
        return do_run(r);
    if (!strcmp(r->action, "spin"))
        return do_spin(r);
    if (!strcmp(r->action, "hold"))
        return do_hold(r);
    return failure("unknown request");
}

/* Reading requests. A member that is absent reads as "undefined" or 0. */

static const char *text_member(JSValue object, const char *name)
{
    JSValue v = JS_GetPropertyStr(desk, object, name);
    const char *text = JS_ToCString(desk, v);
    JS_FreeValue(desk, v);
    return text;
}

static int int_member(JSValue object, const char *name)
{
    JSValue v = JS_GetPropertyStr(desk, object, name);
    int32_t n = 0;
    JS_ToInt32(desk, &n, v);
    JS_FreeValue(desk, v);
    return n;
}

static void serve(const char *line, size_t length)
{
    JSValue object = JS_ParseJSON(desk, line, length, "request");
    Request r = {
        .action = text_member(object, "do"), .name = text_member(object, "name"),
        .mode = text_member(object, "mode"), .source = text_member(object, "source"),
        .input = text_member(object, "input"), .n = int_member(object, "n"),
        .warm = int_member(object, "warm"), .workers = int_member(object, "workers"),
        .millis = int_member(object, "millis"),
    };
    const char *texts[] = { r.action, r.name, r.mode, r.source, r.input };
    size_t i;
    send(answer(&r));
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        JS_FreeCString(desk, texts[i]);
    JS_FreeValue(desk, object);
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    desk = JS_NewContext(JS_NewRuntime());
    if (!desk)
        return 1;
    while ((length = getline(&line, &capacity, stdin)) > 0)
        serve(line, (size_t)length);
    return 0;
}
