/* What was thrown, told to the host as JSON: {"error","name","message","stack","hint","value"}. Reading it may run guest code
   (getters, toString), so it happens inside the call, under its limits. */

enum { REPORT_NAME = 200, REPORT_MESSAGE = 4000, REPORT_STACK = 8000, REPORT_VALUE = 4000 };

static Buffer out; /* what the host reads as output */

static void report_text(const char *label, JSValueConst object, const char *property, uint32_t max)
{
    JSValue v = JS_GetPropertyStr(ctx, object, property);
    uint32_t start = out.len;

    if (JS_IsException(v)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        return;
    }
    if (JS_IsString(v)) {
        buffer_puts(&out, label);
        if (!buffer_put_string_value(&out, v, max)) {
            JS_FreeValue(ctx, JS_GetException(ctx));
            out.len = start;
        }
    }
    JS_FreeValue(ctx, v);
}

/* A thrown value that is not an Error: as JSON where it has such a form, and as text. */
static void report_value(JSValueConst v)
{
    Buffer json = { 0 };
    JSValue text;

    buffer_reset(&json, REPORT_VALUE);
    switch (json_value(&json, js_dup(v), NULL)) {
    case JSON_OK:
        buffer_puts(&out, ",\"value\":");
        buffer_put(&out, json.data, json.len);
        break;
    case JSON_THREW: JS_FreeValue(ctx, JS_GetException(ctx)); break;
    default: break;
    }
    free(json.data);
    text = JS_IsSymbol(v) ? JS_GetPropertyStr(ctx, v, "description") : JS_ToString(ctx, v);
    if (JS_IsString(text)) {
        buffer_puts(&out, ",\"message\":");
        buffer_put_string_value(&out, text, REPORT_MESSAGE);
    } else if (JS_IsException(text)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
    }
    JS_FreeValue(ctx, text);
}

/* Leaves the report of the thrown value v in out, and frees v. */
static void report(JSValue v)
{
    bool is_error = JS_IsObject(v) && (JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_ERROR
                                       || JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_DOM_EXCEPTION);

    buffer_reset(&out, UINT32_MAX);
    shared.mark = mark_of(v);
    buffer_puts(&out, "{\"error\":");
    buffer_puts(&out, is_error ? "true" : "false");
    if (is_error) {
        report_text(",\"name\":", v, "name", REPORT_NAME);
        report_text(",\"message\":", v, "message", REPORT_MESSAGE);
        report_text(",\"stack\":", v, "stack", REPORT_STACK);
        report_text(",\"hint\":", v, "hint", REPORT_MESSAGE);
    } else {
        report_value(v);
    }
    buffer_putc(&out, '}');
    JS_FreeValue(ctx, v);
}

/* Leaves {"path","message"} of a refused result in out. */
static void report_refused(void)
{
    buffer_reset(&out, UINT32_MAX);
    buffer_puts(&out, "{\"path\":\"");
    buffer_put(&out, json_at.data, json_at.len);
    buffer_puts(&out, "\",\"message\":\"");
    buffer_puts(&out, json_why); /* our own words: nothing to escape */
    buffer_puts(&out, "\"}");
}
