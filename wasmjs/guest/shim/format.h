/* printf into a buffer, as far as the engine uses it: %d %i %u %x %c %s %p %%, with the flags 0, + and -, widths and
   precisions. It takes the place of libc's, which costs microseconds a call here and is on the path of every error
   message and stack trace. */

typedef struct {
    char *at, *end;
    int len; /* of the whole text, cut or not */
} Text;

static void text_putc(Text *t, char c)
{
    if (t->at < t->end)
        *t->at++ = c;
    t->len++;
}

static void text_pad(Text *t, int n, char c)
{
    while (n-- > 0)
        text_putc(t, c);
}

typedef struct {
    bool zero, plus, left;
    int width, precision; /* -1: none */
    int longs;            /* 2: a 64-bit number */
} Spec;

static int spec_number(const char **f, va_list *ap)
{
    int n = 0;

    if (**f == '*') {
        ++*f;
        return va_arg(*ap, int);
    }
    while (**f >= '0' && **f <= '9')
        n = n * 10 + *(*f)++ - '0';
    return n;
}

static Spec spec_read(const char **f, va_list *ap)
{
    Spec s = { .precision = -1 };

    for (;; ++*f) {
        if (**f == '0')
            s.zero = true;
        else if (**f == '+')
            s.plus = true;
        else if (**f == '-')
            s.left = true;
        else
            break;
    }
    s.width = spec_number(f, ap);
    if (**f == '.') {
        ++*f;
        s.precision = spec_number(f, ap);
    }
    for (; **f == 'l' || **f == 'h' || **f == 'z' || **f == 'j' || **f == 't'; ++*f)
        s.longs += **f == 'l' ? 1 : **f == 'j' ? 2 : 0;
    return s;
}

static void text_put_string(Text *t, const Spec *s, const char *text)
{
    int len = 0;

    while ((s->precision < 0 || len < s->precision) && text[len])
        len++;
    if (!s->left)
        text_pad(t, s->width - len, ' ');
    for (int i = 0; i < len; i++)
        text_putc(t, text[i]);
    if (s->left)
        text_pad(t, s->width - len, ' ');
}

static void text_put_number(Text *t, const Spec *s, uint64_t n, bool negative, unsigned base)
{
    char digits[24];
    int len = 0;
    char sign = negative ? '-' : s->plus ? '+' : 0;
    int width = s->width - (sign != 0);

    do
        digits[len++] = "0123456789abcdef"[n % base];
    while ((n /= base));
    if (!s->zero && !s->left)
        text_pad(t, width - len, ' ');
    if (sign)
        text_putc(t, sign);
    if (s->zero)
        text_pad(t, width - len, '0');
    for (int i = len; i-- > 0;)
        text_putc(t, digits[i]);
    if (s->left)
        text_pad(t, width - len, ' ');
}

static void text_put(Text *t, const Spec *s, char conversion, va_list *ap)
{
    int64_t n;

    switch (conversion) {
    case 'd':
    case 'i':
        n = s->longs > 1 ? va_arg(*ap, int64_t) : va_arg(*ap, int);
        text_put_number(t, s, n < 0 ? 0 - (uint64_t)n : n, n < 0, 10);
        break;
    case 'u': text_put_number(t, s, s->longs > 1 ? va_arg(*ap, uint64_t) : va_arg(*ap, unsigned), false, 10); break;
    case 'x': text_put_number(t, s, s->longs > 1 ? va_arg(*ap, uint64_t) : va_arg(*ap, unsigned), false, 16); break;
    case 'p': text_put_number(t, s, (uintptr_t)va_arg(*ap, void *), false, 16); break;
    case 's': text_put_string(t, s, va_arg(*ap, const char *)); break;
    case 'c': text_putc(t, va_arg(*ap, int)); break;
    default: text_putc(t, conversion);
    }
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list args)
{
    Text t = { to, size ? to + size - 1 : to, 0 };
    va_list ap;

    va_copy(ap, args);
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            text_putc(&t, *f);
            continue;
        }
        f++;
        Spec s = spec_read(&f, &ap);
        if (!*f)
            break;
        text_put(&t, &s, *f, &ap);
    }
    va_end(ap);
    if (size)
        *t.at = 0;
    return t.len;
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
    va_list ap;
    int len;

    va_start(ap, format);
    len = vsnprintf(to, size, format, ap);
    va_end(ap);
    return len;
}
