/* The object `native` that web pieces and the glue of host functions get as their argument. */

static JSValue js_native_log(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    static const char *const levels[] = { "log", "info", "warn", "error", "debug" };
    uint32_t level = 0;
    size_t len;
    const char *name = JS_ToCString(c, argv[0]), *text;

    if (!name)
        return JS_EXCEPTION;
    for (uint32_t i = 0; i < countof(levels); i++)
        if (!strcmp(name, levels[i]))
            level = i;
    JS_FreeCString(c, name);
    text = JS_ToCStringLen(c, &len, argv[1]);
    if (!text)
        return JS_EXCEPTION;
    host_log(level, text, len);
    JS_FreeCString(c, text);
    return JS_UNDEFINED;
}

static JSValue js_native_utf8_encode(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t len;
    const char *text = JS_ToCStringLen(c, &len, argv[0]);
    JSValue bytes;
    uint8_t *p;

    if (!text)
        return JS_EXCEPTION;
    bytes = JS_NewUint8ArrayCopy(c, (const uint8_t *)text, len);
    JS_FreeCString(c, text);
    if (JS_IsException(bytes) || !(p = JS_GetUint8Array(c, &len, bytes)))
        return bytes;
    for (size_t i = 0; i + 2 < len; i++)
        if (p[i] == 0xED && p[i + 1] >= 0xA0) /* a lone surrogate becomes U+FFFD */
            memcpy(p + i, "\xEF\xBF\xBD", 3);
    return bytes;
}

/* How many bytes at p form one UTF-8 sequence: > 0 a well-formed one, < 0 a maximal ill-formed part (WHATWG). */
static int utf8_step(const uint8_t *p, size_t n)
{
    uint8_t c = p[0], low = 0x80, high = 0xBF;
    int want, i;

    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return -1;
    want = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c == 0xE0)
        low = 0xA0;
    else if (c == 0xED)
        high = 0x9F;
    else if (c == 0xF0)
        low = 0x90;
    else if (c == 0xF4)
        high = 0x8F;
    for (i = 1; i < want; i++, low = 0x80, high = 0xBF)
        if ((size_t)i >= n || p[i] < low || p[i] > high)
            return -i;
    return want;
}

static JSValue js_native_utf8_decode(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t size, at, fixed_len = 0;
    uint32_t offset, len;
    uint8_t *bytes = JS_GetArrayBuffer(c, &size, argv[0]), *fixed;
    bool fatal = JS_ToBool(c, argv[3]);
    JSValue text;
    int step;

    if (!bytes || JS_ToUint32(c, &offset, argv[1]) || JS_ToUint32(c, &len, argv[2]))
        return JS_EXCEPTION;
    if (offset > size || len > size - offset)
        return JS_ThrowRangeError(c, "the range lies outside the buffer");
    bytes += offset;
    for (at = 0; at < len && (step = utf8_step(bytes + at, len - at)) > 0; at += step)
        ;
    if (at == len)
        return JS_NewStringLen(c, (const char *)bytes, len);
    if (fatal)
        return JS_ThrowTypeError(c, "the bytes are not valid UTF-8 (at byte %u)", (unsigned)at);
    fixed = js_malloc(c, (size_t)len * 3);
    if (!fixed)
        return JS_EXCEPTION;
    for (at = 0; at < len; at += step < 0 ? -step : step) {
        step = utf8_step(bytes + at, len - at);
        memcpy(fixed + fixed_len, step > 0 ? (const char *)bytes + at : "\xEF\xBF\xBD", step > 0 ? step : 3);
        fixed_len += step > 0 ? step : 3;
    }
    text = JS_NewStringLen(c, (const char *)fixed, fixed_len);
    js_free(c, fixed);
    return text;
}

static JSValue js_native_is_proxy(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    return JS_NewBool(c, JS_IsObject(argv[0]) && JS_VALUE_GET_OBJ(argv[0])->class_id == JS_CLASS_PROXY);
}

static JSValue js_native_class_of(JSContext *c, JSValueConst this_val, int argc, JSValueConst *argv)
{
    JSClassID id;

    if (!JS_IsObject(argv[0]))
        return JS_AtomToString(c, JS_ATOM_empty_string);
    id = JS_VALUE_GET_OBJ(argv[0])->class_id;
    if (id == JS_CLASS_PROXY)
        return JS_NewString(c, "Proxy");
    if (JS_IsFunction(c, argv[0]))
        return JS_NewString(c, "Function");
    return JS_AtomToString(c, c->rt->class_array[id].class_id ? c->rt->class_array[id].class_name : JS_ATOM_empty_string);
}

static const JSCFunctionListEntry native_functions[] = {
    JS_CFUNC_DEF("log", 2, js_native_log),
    JS_CFUNC_DEF("utf8Encode", 1, js_native_utf8_encode),
    JS_CFUNC_DEF("utf8Decode", 4, js_native_utf8_decode),
    JS_CFUNC_DEF("isProxy", 1, js_native_is_proxy),
    JS_CFUNC_DEF("classOf", 1, js_native_class_of),
    JS_CFUNC_DEF("call", 3, js_native_call),
    JS_CFUNC_DEF("request", 3, js_native_request),
};

static JSValue native_object(void)
{
    JSValue native = JS_NewObject(ctx);

    JS_SetPropertyFunctionList(ctx, native, native_functions, countof(native_functions));
    return native;
}
