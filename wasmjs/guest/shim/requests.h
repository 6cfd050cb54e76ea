/* Calls of host functions. native.call answers at once; native.request returns a promise that the host settles with
   OP_SETTLE. Both take (operation, value, bytes): the value crosses as JSON, the bytes as they are. An answer's bytes
   become the `bytes` member of its value. */

typedef struct Request {
    struct Request *next;
    uint32_t id;
    JSValue resolve, reject;
} Request;

static Request *requests;
static uint32_t last_request;

enum { PART_JSON, PART_BODY };

/* Makes the value of an answer out of its JSON and its bytes. */
static JSValue reply_value(uint32_t json_len, uint32_t body_len)
{
    char *json = js_malloc(ctx, json_len + 1);
    JSValue v, bytes;
    uint8_t *body;

    if (!json)
        return JS_EXCEPTION;
    host_reply(PART_JSON, json);
    json[json_len] = 0;
    v = JS_ParseJSON(ctx, json, json_len, "<host>");
    js_free(ctx, json);
    if (JS_IsException(v) || body_len == UINT32_MAX || !JS_IsObject(v))
        return v;
    body = js_malloc(ctx, body_len ? body_len : 1);
    if (!body) {
        JS_FreeValue(ctx, v);
        return JS_EXCEPTION;
    }
    host_reply(PART_BODY, body);
    bytes = JS_NewArrayBufferCopy(ctx, body, body_len);
    js_free(ctx, body);
    if (JS_IsException(bytes) || JS_DefinePropertyValueStr(ctx, v, "bytes", bytes, JS_PROP_C_W_E) < 0) {
        JS_FreeValue(ctx, v);
        return JS_EXCEPTION;
    }
    return v;
}

/* Makes the Error that a failed answer {"name","message","code","hint","mark"} describes, and frees the answer. */
static JSValue reply_error(JSValue answer)
{
    JSValue error = JS_UNDEFINED, name, message, code, hint, mark;
    const char *kind, *text;
    int32_t number;

    if (JS_IsException(answer))
        return answer;
    name = JS_GetPropertyStr(ctx, answer, "name");
    message = JS_GetPropertyStr(ctx, answer, "message");
    code = JS_GetPropertyStr(ctx, answer, "code");
    hint = JS_GetPropertyStr(ctx, answer, "hint");
    mark = JS_GetPropertyStr(ctx, answer, "mark");
    kind = JS_ToCString(ctx, name);
    text = JS_ToCString(ctx, message);
    if (kind && text) {
        error = strcmp(kind, "TypeError") ? JS_NewPlainError(ctx, "%s", "") : JS_NewTypeError(ctx, "%s", "");
        JS_DefinePropertyValueStr(ctx, error, "message", js_dup(message), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
        if (strcmp(kind, "TypeError") && strcmp(kind, "Error"))
            JS_DefinePropertyValueStr(ctx, error, "name", js_dup(name), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
        if (JS_IsString(code))
            JS_DefinePropertyValueStr(ctx, error, "code", js_dup(code), JS_PROP_C_W_E);
        if (JS_IsString(hint))
            JS_DefinePropertyValueStr(ctx, error, "hint", js_dup(hint), JS_PROP_C_W_E);
        if (!JS_ToInt32(ctx, &number, mark))
            mark_error(error, number);
    }
    JS_FreeCString(ctx, kind);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, message);
    JS_FreeValue(ctx, code);
    JS_FreeValue(ctx, hint);
    JS_FreeValue(ctx, mark);
    JS_FreeValue(ctx, answer);
    return JS_IsUndefined(error) ? JS_EXCEPTION : error;
}

static JSValue throw_too_many(void)
{
    JSValue e = JS_NewRangeError(ctx, "too many host calls in one call of the tool (limit hostCalls)");

    mark_error(e, MARK_LIMIT);
    JS_DefinePropertyValueStr(ctx, e, "code", JS_NewString(ctx, "limit"), JS_PROP_C_W_E);
    return JS_Throw(ctx, e);
}

/* Sends (operation, value, bytes) as request id. Returns what host_request did, or -1 with an exception pending. */
static int send_request(uint32_t id, int argc, JSValueConst *argv)
{
    size_t op_len, body_len = 0;
    const char *op;
    uint8_t *body = NULL;
    Buffer json = { 0 };
    int r = -1;

    if (argc > 2 && !JS_IsUndefined(argv[2]) && !(body = JS_GetUint8Array(ctx, &body_len, argv[2])))
        return -1;
    op = JS_ToCStringLen(ctx, &op_len, argv[0]);
    if (!op)
        return -1;
    buffer_reset(&json, UINT32_MAX);
    switch (json_value(&json, js_dup(argc > 1 ? argv[1] : JS_NULL), NULL)) {
    case JSON_OK:
        /* The conversion may have run guest code that moved the bytes: look again. */
        if (body && !(body = JS_GetUint8Array(ctx, &body_len, argv[2])))
            break;
        r = host_request(id, op, op_len, json.data, json.len, body, body_len);
        break;
    case JSON_REFUSED: JS_ThrowTypeError(ctx, "an argument for the host cannot be sent: it holds %s", json_why); break;
    case JSON_TOO_LARGE: JS_ThrowRangeError(ctx, "an argument for the host is too large or nested too deep"); break;
    case JSON_THREW: break;
    }
    free(json.data);
    JS_FreeCString(ctx, op);
    return r;
}

static JSValue js_native_call(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    int r = send_request(0, argc, argv);
    JSValue answer;

    if (r < 0)
        return JS_EXCEPTION;
    if (r == 2)
        return throw_too_many();
    answer = reply_value(host_reply_size(PART_JSON), host_reply_size(PART_BODY));
    return r == 0 ? answer : JS_Throw(c, reply_error(answer));
}

static JSValue js_native_request(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    JSValue functions[2], promise;
    Request *q = js_malloc(c, sizeof *q);
    int r;

    if (!q)
        return JS_EXCEPTION;
    promise = JS_NewPromiseCapability(c, functions);
    if (JS_IsException(promise)) {
        js_free(c, q);
        return promise;
    }
    *q = (Request){ requests, ++last_request, functions[0], functions[1] };
    r = send_request(q->id, argc, argv);
    if (r == 0) {
        requests = q;
        shared.pending++;
        return promise;
    }
    JS_FreeValue(c, functions[0]);
    JS_FreeValue(c, functions[1]);
    JS_FreeValue(c, promise);
    js_free(c, q);
    if (r < 0)
        return JS_EXCEPTION;
    return r == 2 ? throw_too_many() : JS_Throw(c, reply_error(reply_value(host_reply_size(PART_JSON), UINT32_MAX)));
}

/* Settles request id with the answer the host holds. Returns false when an exception is pending. */
static bool request_settle(uint32_t id, bool ok)
{
    Request **at = &requests, *q;
    JSValue answer, r;

    while ((q = *at) && q->id != id)
        at = &q->next;
    if (!q)
        return true;
    *at = q->next;
    shared.pending--;
    answer = reply_value(host_reply_size(PART_JSON), host_reply_size(PART_BODY));
    if (!ok)
        answer = reply_error(answer);
    r = JS_IsException(answer) ? answer : JS_Call(ctx, ok ? q->resolve : q->reject, JS_UNDEFINED, 1, vc(&answer));
    JS_FreeValue(ctx, answer);
    JS_FreeValue(ctx, q->resolve);
    JS_FreeValue(ctx, q->reject);
    js_free(ctx, q);
    if (JS_IsException(r))
        return false;
    JS_FreeValue(ctx, r);
    return true;
}
