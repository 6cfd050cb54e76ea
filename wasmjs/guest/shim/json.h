/* JSON out, in two ways. Strict, for what crosses to the host: what JSON cannot hold is refused, with the place where it
   stands, instead of being changed in silence. Plain, for JSON.stringify without replacer and indent, as the language
   has it. toJSON, getters and proxies run guest code, under the limits. */

enum { JSON_MAX_DEPTH = 1000 }; /* of strict text */

static bool json_strict = true;

typedef enum {
    JSON_OK,
    JSON_THREW,     /* an exception is pending */
    JSON_REFUSED,   /* json_why and json_at say what and where */
    JSON_TOO_LARGE, /* the buffer is full or the value too deep */
} JsonResult;

typedef struct JsonFrame { /* one container that is being written */
    struct JsonFrame *up;
    JSValueConst container;
    JSAtom key;      /* the member being written, or JS_ATOM_NULL within an array */
    uint32_t index;
    int depth;
} JsonFrame;

static const char *json_why;
static Buffer json_at; /* JSON pointer to the refused place, as the content of a JSON string */

static JsonResult json_value(Buffer *b, JSValue v, JsonFrame *up);
static JsonResult json_replaced(Buffer *b, JSValue v, JsonFrame *up);

static void json_pointer_token(JSString *s)
{
    uint32_t i;

    for (i = 0; i < s->len && i < 200; i++) {
        uint32_t c = s->is_wide_char ? str16(s)[i] : str8(s)[i];
        if (c == '~')
            buffer_puts(&json_at, "~0");
        else if (c == '/')
            buffer_puts(&json_at, "~1");
        else
            i += buffer_put_char(&json_at, c, s->is_wide_char && i + 1 < s->len ? str16(s)[i + 1] : 0) - 1;
    }
}

static void json_pointer(JsonFrame *f)
{
    JSValue key;

    if (!f)
        return;
    json_pointer(f->up);
    buffer_putc(&json_at, '/');
    if (f->key == JS_ATOM_NULL) {
        buffer_put_int(&json_at, f->index);
        return;
    }
    key = JS_AtomToString(ctx, f->key);
    if (JS_VALUE_GET_TAG(key) == JS_TAG_STRING)
        json_pointer_token(JS_VALUE_GET_STRING(key));
    JS_FreeValue(ctx, key);
}

static JsonResult json_refuse(JsonFrame *up, const char *why)
{
    json_why = why;
    buffer_reset(&json_at, 2000);
    json_pointer(up);
    return JSON_REFUSED;
}

/* What an object of this class would lose or become in JSON, or NULL when it loses nothing. */
static const char *json_lossy_class(JSClassID class_id)
{
    switch (class_id) {
    case JS_CLASS_MAP: return "a Map; use Object.fromEntries(map) or [...map]";
    case JS_CLASS_SET: return "a Set; use [...set]";
    case JS_CLASS_WEAKMAP: return "a WeakMap";
    case JS_CLASS_WEAKSET: return "a WeakSet";
    case JS_CLASS_WEAK_REF: return "a WeakRef";
    case JS_CLASS_PROMISE: return "a Promise; await it first";
    case JS_CLASS_ERROR: return "an Error; return its message instead";
    case JS_CLASS_REGEXP: return "a RegExp; use String(regexp)";
    case JS_CLASS_ARRAY_BUFFER:
    case JS_CLASS_SHARED_ARRAY_BUFFER:
    case JS_CLASS_DATAVIEW: return "a binary buffer; use Array.from(new Uint8Array(buffer)) or encode it as text";
    case JS_CLASS_ITERATOR_CONCAT:
    case JS_CLASS_ITERATOR_HELPER:
    case JS_CLASS_ITERATOR_WRAP:
    case JS_CLASS_MAP_ITERATOR:
    case JS_CLASS_SET_ITERATOR:
    case JS_CLASS_ARRAY_ITERATOR:
    case JS_CLASS_STRING_ITERATOR:
    case JS_CLASS_REGEXP_STRING_ITERATOR: return "an iterator; use [...iterator]";
    }
    if (class_id >= JS_CLASS_UINT8C_ARRAY && class_id <= JS_CLASS_FLOAT64_ARRAY)
        return "a typed array; use Array.from(array) or encode it as text";
    return NULL;
}

/* Writes every digit of a whole number beyond 2^53. JavaScript itself writes the shortest text that reads back as the
   same number, with zeroes for the rest, which is another integer to whoever does not read doubles. */
static void json_large_integer(Buffer *b, double d)
{
    char digits[32];
    JSDTOATempMem scratch;

    buffer_put(b, digits, js_dtoa(digits, d, 10, 0, JS_DTOA_FORMAT_FRAC | JS_DTOA_EXP_DISABLED, &scratch));
}

static JsonResult json_double(Buffer *b, double d, JsonFrame *up)
{
    JSValue text;

    if (!json_strict && (isnan(d) || isinf(d))) {
        buffer_puts(b, "null");
        return JSON_OK;
    }
    if (isnan(d))
        return json_refuse(up, "NaN");
    if (isinf(d))
        return json_refuse(up, d < 0 ? "-Infinity" : "Infinity");
    if (d == 0 && signbit(d)) {
        buffer_puts(b, json_strict ? "-0" : "0");
        return JSON_OK;
    }
    if (json_strict && fabs(d) >= 9007199254740992.0 && fabs(d) < 1e21) {
        json_large_integer(b, d);
        return JSON_OK;
    }
    text = JS_ToString(ctx, js_float64(d));
    if (JS_IsException(text))
        return JSON_THREW;
    buffer_put(b, (const char *)str8(JS_VALUE_GET_STRING(text)), JS_VALUE_GET_STRING(text)->len);
    JS_FreeValue(ctx, text);
    return JSON_OK;
}

static JsonResult json_primitive(Buffer *b, JSValueConst v, JsonFrame *up)
{
    switch (JS_VALUE_GET_NORM_TAG(v)) {
    case JS_TAG_NULL:
    case JS_TAG_UNDEFINED: buffer_puts(b, "null"); return JSON_OK;
    case JS_TAG_BOOL: buffer_puts(b, JS_VALUE_GET_BOOL(v) ? "true" : "false"); return JSON_OK;
    case JS_TAG_INT: buffer_put_int(b, JS_VALUE_GET_INT(v)); return JSON_OK;
    case JS_TAG_FLOAT64: return json_double(b, JS_VALUE_GET_FLOAT64(v), up);
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE: return buffer_put_string_value(b, v, UINT32_MAX) ? JSON_OK : JSON_THREW;
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT:
        if (json_strict)
            return json_refuse(up, "a BigInt; use String(value)");
        JS_ThrowTypeError(ctx, "BigInt are forbidden in JSON.stringify");
        return JSON_THREW;
    case JS_TAG_SYMBOL: return json_refuse(up, "a symbol");
    }
    return json_refuse(up, "a value that JSON has no form for");
}

/* Whether v is a Date that holds no time, of which toJSON would make null. */
static bool json_invalid_date(JSValueConst v)
{
    double d;

    if (JS_VALUE_GET_TAG(v) != JS_TAG_OBJECT || JS_VALUE_GET_OBJ(v)->class_id != JS_CLASS_DATE)
        return false;
    return !JS_ToFloat64(ctx, &d, JS_VALUE_GET_OBJ(v)->u.object_data) && isnan(d);
}

/* Replaces v by what its toJSON returns. */
static JSValue json_to_json(JSValue v, JsonFrame *up)
{
    JSValue f, key, replaced;

    if (!JS_IsObject(v) && !JS_IsBigInt(v))
        return v;
    f = JS_GetProperty(ctx, v, JS_ATOM_toJSON);
    if (JS_IsException(f) || !JS_IsFunction(ctx, f)) {
        if (!JS_IsException(f)) {
            JS_FreeValue(ctx, f);
            return v;
        }
        JS_FreeValue(ctx, v);
        return JS_EXCEPTION;
    }
    if (!up)
        key = JS_AtomToString(ctx, JS_ATOM_empty_string);
    else if (up->key == JS_ATOM_NULL)
        key = JS_ToString(ctx, js_uint32(up->index));
    else
        key = JS_AtomToString(ctx, up->key);
    replaced = JS_CallFree(ctx, f, v, 1, vc(&key));
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, v);
    return replaced;
}

/* Whether JSON.stringify leaves v out. */
static bool json_left_out(JSValueConst v)
{
    return JS_IsUndefined(v) || (!json_strict && (JS_IsSymbol(v) || JS_IsFunction(ctx, v)));
}

static JsonResult json_array(Buffer *b, JsonFrame *f)
{
    JsonResult r = JSON_OK;
    int64_t i, len;

    if (js_get_length64(ctx, &len, f->container))
        return JSON_THREW;
    buffer_putc(b, '[');
    for (i = 0; i < len && r == JSON_OK; i++) {
        if (b->full)
            return JSON_TOO_LARGE;
        if (i > 0)
            buffer_putc(b, ',');
        f->index = i;
        r = json_value(b, JS_GetPropertyInt64(ctx, f->container, i), f);
    }
    buffer_putc(b, ']');
    return r;
}

static JsonResult json_member(Buffer *b, JSValue v, JsonFrame *f, bool first)
{
    JSValue key;
    bool written;

    if (json_strict && json_invalid_date(v)) {
        JS_FreeValue(ctx, v);
        return json_refuse(f, "an invalid Date");
    }
    v = json_to_json(v, f);
    if (JS_IsException(v))
        return JSON_THREW;
    if (json_left_out(v)) {
        JS_FreeValue(ctx, v);
        return JSON_OK;
    }
    if (!first)
        buffer_putc(b, ',');
    key = JS_AtomToString(ctx, f->key);
    written = !JS_IsException(key) && buffer_put_string_value(b, key, UINT32_MAX);
    JS_FreeValue(ctx, key);
    if (!written) {
        JS_FreeValue(ctx, v);
        return JSON_THREW;
    }
    buffer_putc(b, ':');
    return json_replaced(b, v, f);
}

static JsonResult json_members(Buffer *b, JsonFrame *f)
{
    JSPropertyEnum *names;
    JsonResult r = JSON_OK;
    uint32_t i, count, start;

    if (JS_GetOwnPropertyNames(ctx, &names, &count, f->container, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY))
        return JSON_THREW;
    buffer_putc(b, '{');
    start = b->len;
    for (i = 0; i < count && r == JSON_OK; i++) {
        JSValue v;
        f->key = names[i].atom;
        v = JS_GetProperty(ctx, f->container, f->key);
        r = JS_IsException(v) ? JSON_THREW : json_member(b, v, f, b->len == start);
        if (r == JSON_OK && b->full)
            r = JSON_TOO_LARGE;
    }
    buffer_putc(b, '}');
    JS_FreePropertyEnum(ctx, names, count);
    return r;
}

static JsonResult json_container(Buffer *b, JSValueConst v, JsonFrame *up)
{
    JsonFrame *f, frame = { up, v, JS_ATOM_NULL, 0, up ? up->depth + 1 : 1 };
    int is_array;

    if (json_strict && frame.depth > JSON_MAX_DEPTH)
        return JSON_TOO_LARGE;
    for (f = up; f; f = f->up) {
        if (JS_VALUE_GET_OBJ(f->container) != JS_VALUE_GET_OBJ(v))
            continue;
        if (json_strict)
            return json_refuse(up, "a cycle: this value contains itself");
        JS_ThrowTypeError(ctx, "circular reference");
        return JSON_THREW;
    }
    is_array = js_is_array(ctx, v);
    if (is_array < 0)
        return JSON_THREW;
    return is_array ? json_array(b, &frame) : json_members(b, &frame);
}

static JsonResult json_raw(Buffer *b, JSValueConst v, JsonFrame *up) /* JSON.rawJSON(text): a primitive */
{
    JSValue text = JS_GetProperty(ctx, v, JS_ATOM_rawJSON);
    JSString *s;
    double d;

    if (JS_VALUE_GET_TAG(text) != JS_TAG_STRING) {
        JS_FreeValue(ctx, text);
        return json_refuse(up, "raw JSON without a text");
    }
    s = JS_VALUE_GET_STRING(text);
    if (!s->is_wide_char && s->len && (str8(s)[0] == '-' || (str8(s)[0] >= '0' && str8(s)[0] <= '9'))
        && json_strict && !JS_ToFloat64(ctx, &d, text) && isinf(d)) {
        JS_FreeValue(ctx, text);
        return json_refuse(up, "a number beyond the range of a double");
    }
    if (json_strict && (s->is_wide_char || (s->len && str8(s)[0] == '"'))) {
        JSValue parsed = JS_UNDEFINED;
        const char *c = JS_ToCString(ctx, text);
        if (c)
            parsed = JS_ParseJSON(ctx, c, strlen(c), "<raw>");
        JS_FreeCString(ctx, c);
        JS_FreeValue(ctx, text);
        return JS_IsException(parsed) || !c ? JSON_THREW : json_value(b, parsed, up);
    }
    for (uint32_t i = 0; i < s->len; i++)
        buffer_put_utf8(b, s->is_wide_char ? str16(s)[i] : str8(s)[i]);
    JS_FreeValue(ctx, text);
    return JSON_OK;
}

static JsonResult json_object(Buffer *b, JSValueConst v, JsonFrame *up)
{
    JSObject *p = JS_VALUE_GET_OBJ(v);
    const char *lossy = json_strict ? json_lossy_class(p->class_id) : NULL;
    JSValue bare;
    JsonResult r;

    if (JS_IsFunction(ctx, v))
        return json_refuse(up, "a function");
    if (lossy)
        return json_refuse(up, lossy);
    switch (p->class_id) {
    case JS_CLASS_STRING: bare = JS_ToString(ctx, v); break;
    case JS_CLASS_NUMBER: bare = JS_ToNumber(ctx, v); break;
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT: bare = js_dup(p->u.object_data); break;
    case JS_CLASS_RAWJSON: return json_raw(b, v, up);
    default: return json_container(b, v, up);
    }
    if (JS_IsException(bare))
        return JSON_THREW;
    r = json_primitive(b, bare, up);
    JS_FreeValue(ctx, bare);
    return r;
}

/* Writes v, which it frees and on which toJSON has run; up is the container it stands in. */
static JsonResult json_replaced(Buffer *b, JSValue v, JsonFrame *up)
{
    JsonResult r;

    if (js_check_stack_overflow(rt, 0)) {
        JS_FreeValue(ctx, v);
        if (json_strict)
            return JSON_TOO_LARGE;
        JS_ThrowStackOverflow(ctx);
        return JSON_THREW;
    }
    r = JS_IsObject(v) ? json_object(b, v, up) : json_primitive(b, v, up);
    JS_FreeValue(ctx, v);
    if (r != JSON_OK)
        return r;
    if (b->failed) {
        JS_ThrowOutOfMemory(ctx);
        return JSON_THREW;
    }
    return b->full ? JSON_TOO_LARGE : JSON_OK;
}

/* Writes v, which it frees, after toJSON. */
static JsonResult json_value(Buffer *b, JSValue v, JsonFrame *up)
{
    if (json_strict && json_invalid_date(v)) {
        JS_FreeValue(ctx, v);
        return json_refuse(up, "an invalid Date");
    }
    v = json_to_json(v, up);
    if (JS_IsException(v))
        return JSON_THREW;
    if (json_left_out(v)) {
        JS_FreeValue(ctx, v);
        v = JS_NULL; /* within an array, or the whole result */
    }
    return json_replaced(b, v, up);
}

/* JSON.stringify(v): the text, or undefined where v itself is left out. */
static JSValue shim_stringify(JSContext *c, JSValueConst v)
{
    bool was = json_strict;
    Buffer b = { 0 };
    JSValue text = JS_UNDEFINED, replaced;
    JsonResult r;

    json_strict = false;
    buffer_reset(&b, UINT32_MAX);
    replaced = json_to_json(js_dup(v), NULL);
    r = JS_IsException(replaced) ? JSON_THREW : JSON_OK;
    if (r == JSON_OK && json_left_out(replaced)) {
        JS_FreeValue(c, replaced);
    } else if (r == JSON_OK) {
        r = json_replaced(&b, replaced, NULL);
        if (r == JSON_OK)
            text = JS_NewStringLen(c, b.data, b.len);
    }
    free(b.data);
    json_strict = was;
    if (r == JSON_TOO_LARGE)
        JS_ThrowOutOfMemory(c);
    return r == JSON_OK ? text : JS_EXCEPTION;
}
