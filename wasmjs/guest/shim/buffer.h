/* Text that grows up to a cap. It lives in guest memory and is read by the host after the operation. */

typedef struct {
    char *data;
    uint32_t len, cap, limit;
    bool full;    /* the limit was met */
    bool failed;  /* memory ran out */
} Buffer;

static void buffer_reset(Buffer *b, uint32_t limit)
{
    b->len = 0;
    b->limit = limit;
    b->full = b->failed = false;
}

static bool buffer_reserve(Buffer *b, uint32_t more)
{
    uint32_t want;
    char *data;

    if (b->full || b->failed)
        return false;
    if (more > b->limit - b->len) {
        b->full = true;
        return false;
    }
    if (b->len + more <= b->cap)
        return true;
    want = b->cap * 2 > b->len + more ? b->cap * 2 : b->len + more + 256;
    data = realloc(b->data, want);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = want;
    return true;
}

static void buffer_put(Buffer *b, const char *text, uint32_t len)
{
    if (!buffer_reserve(b, len))
        return;
    memcpy(b->data + b->len, text, len);
    b->len += len;
}

static void buffer_putc(Buffer *b, char c)
{
    if (b->len < b->cap && b->len < b->limit)
        b->data[b->len++] = c;
    else
        buffer_put(b, &c, 1);
}

static void buffer_puts(Buffer *b, const char *text) { buffer_put(b, text, strlen(text)); }

static void buffer_put_int(Buffer *b, int32_t n)
{
    char digits[16];

    buffer_put(b, digits, i32toa(digits, n));
}

static const char hex_digits[] = "0123456789abcdef";

static void buffer_put_unit(Buffer *b, uint32_t unit) /* \uXXXX */
{
    char text[6] = { '\\', 'u', hex_digits[unit >> 12 & 15], hex_digits[unit >> 8 & 15],
                     hex_digits[unit >> 4 & 15], hex_digits[unit & 15] };

    buffer_put(b, text, sizeof text);
}

static void buffer_put_utf8(Buffer *b, uint32_t c)
{
    uint8_t text[UTF8_CHAR_LEN_MAX];

    buffer_put(b, (const char *)text, utf8_encode(text, c));
}

/* Writes one code unit of a JSON string; next is the unit after it or 0. Returns how many units were used. */
static int buffer_put_char(Buffer *b, uint32_t c, uint32_t next)
{
    switch (c) {
    case '"': buffer_put(b, "\\\"", 2); return 1;
    case '\\': buffer_put(b, "\\\\", 2); return 1;
    case '\n': buffer_put(b, "\\n", 2); return 1;
    case '\r': buffer_put(b, "\\r", 2); return 1;
    case '\t': buffer_put(b, "\\t", 2); return 1;
    }
    if (c < 0x20) {
        buffer_put_unit(b, c);
    } else if (c < 0x80) {
        buffer_putc(b, c);
    } else if (is_hi_surrogate(c) && is_lo_surrogate(next)) {
        buffer_put_utf8(b, from_surrogate(c, next));
        return 2;
    } else if (is_surrogate(c)) {
        buffer_put_unit(b, c); /* a lone one survives as an escape */
    } else {
        buffer_put_utf8(b, c);
    }
    return 1;
}

static bool is_plain(uint8_t c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

/* Appends s as a JSON string, at most max units of it. */
static void buffer_put_string(Buffer *b, JSString *s, uint32_t max)
{
    uint32_t i, run, len = s->len < max ? s->len : max;

    buffer_putc(b, '"');
    if (s->is_wide_char) {
        const uint16_t *units = str16(s);
        for (i = 0; i < len && !b->full; )
            i += buffer_put_char(b, units[i], i + 1 < len ? units[i + 1] : 0);
    } else {
        const uint8_t *bytes = str8(s);
        for (i = 0; i < len && !b->full; i++) {
            for (run = i; run < len && is_plain(bytes[run]); run++)
                ;
            buffer_put(b, (const char *)bytes + i, run - i);
            if ((i = run) < len)
                buffer_put_char(b, bytes[i], 0);
        }
    }
    buffer_putc(b, '"');
}

/* As buffer_put_string, for any string value, ropes included. Returns false when memory ran out. */
static bool buffer_put_string_value(Buffer *b, JSValueConst v, uint32_t max)
{
    JSValue flat = JS_ToString(ctx, v);

    if (JS_IsException(flat))
        return false;
    buffer_put_string(b, JS_VALUE_GET_STRING(flat), max);
    JS_FreeValue(ctx, flat);
    return true;
}
