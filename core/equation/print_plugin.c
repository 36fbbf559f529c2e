/* print_plugin.c - writes the plan of an equation as the C file of a plugin.

   Each step of the plan becomes a call, written as an argument of the call that
   uses its value. The call is assigned to a variable instead if the step has a
   name or a twin (steps.h), is used several times, or is an operand of scores
   or attention (q, k, v). Functions that return text return C source. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "equation/plan.h"
#include "equation/print_plugin.h"
#include "heart/config.h"

/* Scalars */

/* The type that an expression must have in C. In a double expression, numbers
   are written with a point. */
typedef enum { AS_INT, AS_DOUBLE } CType;

static const char *scalar_in_c(const Tree *t, CType type);

/* A number in C: 2 as an int, 2. as a double. A double holds every integer
   below 1e15 exactly. */
static const char *
number_in_c(double x, CType type)
{
    char text[NUMBER_SIZE];
    if (x == floor(x) && fabs(x) < 1e15)
        return format_text(type == AS_INT ? "%.0f" : "%.0f.", x);
    shortest_number(x, text);
    return copy_text(text);
}

/* The terms of a sum, with + or - between them. */
static const char *
terms_in_c(const Tree *t, CType type)
{
    const char *text = scalar_in_c(t->operand[0], type);
    for (int i = 1; i < t->count; i++) {
        const Tree *term = t->operand[i];
        bool minus = term->kind == TREE_NEGATIVE;
        text = format_text("%s %c %s", text, minus ? '-' : '+',
                           scalar_in_c(minus ? term->operand[0] : term, type));
    }
    return text;
}

/* Does a scalar consist of sums and products of sizes and whole numbers, which
   C computes exactly with ints? */
static bool
only_ints(const Tree *t)
{
    if (t->kind == TREE_NUMBER)
        return t->number == floor(t->number);
    if (t->kind == TREE_NAME)
        return size_named(t->name) != NULL;
    if (t->kind == TREE_INVERSE || t->kind == TREE_CALL)
        return false;
    for (int i = 0; i < t->count; i++)
        if (!only_ints(t->operand[i]))
            return false;
    return true;
}

/* The factors of a product, with * or / between them. C rounds a quotient of
   ints, so the divisor is cast to double, unless it or what it divides is known
   to be a double. */
static const char *
factors_in_c(const Tree *t, CType type)
{
    const Tree *first = t->operand[0];
    const char *text = scalar_in_c(first, type);
    for (int i = 1; i < t->count; i++) {
        const Tree *factor = t->operand[i];
        bool divides = factor->kind == TREE_INVERSE;
        const Tree *value = divides ? factor->operand[0] : factor;
        /* In a quotient a number is written as a double. Then all products that
           begin with it are doubles, too. */
        bool number = first->kind == TREE_NUMBER || value->kind == TREE_NUMBER;
        bool cast = divides && only_ints(value) && !number;
        text = format_text("%s %c %s%s", text, divides ? '/' : '*',
                           cast ? "(double)" : "", scalar_in_c(value, type));
    }
    return text;
}

/* 1 / divisor. The 1 is written as 1., so that C divides doubles, not ints. If
   the divisor is a call of sqrt or exp, 1 is enough, because these return
   doubles. */
static const char *
inverse_in_c(const Tree *divisor)
{
    const char *one = divisor->kind == TREE_CALL ? "1" : "1.";
    return format_text("%s / %s", one, scalar_in_c(divisor, AS_DOUBLE));
}

/* A scalar as an argument of a call. It needs no brackets around it, unless it
   is cast to int. */
static const char *
argument(const Tree *t, CType type)
{
    bool is_cast = type == AS_INT && !only_ints(t);
    if (t->kind == TREE_SUM && !is_cast)
        return terms_in_c(t, type);
    if (t->kind == TREE_PRODUCT && !is_cast)
        return factors_in_c(t, type);
    return scalar_in_c(t, type);
}

/* A scalar as an operand, with brackets around a sum or product. If it must be
   an int, but does not consist of ints, it is computed as a double and cast. */
static const char *
scalar_in_c(const Tree *t, CType type)
{
    const Size *size;
    if (type == AS_INT && !only_ints(t))
        return format_text("(int)%s", scalar_in_c(t, AS_DOUBLE));
    switch (t->kind) {
    case TREE_NUMBER:
        return number_in_c(t->number, type);
    case TREE_NAME:
        size = size_named(t->name);
        return size ? format_text("a->%s", size->field)
                    : format_text("setting(a, \"%s\")", setting_name(t->name));
    case TREE_NEGATIVE:
        if (t->operand[0]->kind == TREE_NEGATIVE) /* -- is an operator of C */
            return scalar_in_c(t->operand[0]->operand[0], type);
        return format_text("-%s", scalar_in_c(t->operand[0], type));
    case TREE_INVERSE:
        return inverse_in_c(t->operand[0]);
    case TREE_CALL:
        return format_text("%s(%s)", t->name,
                           argument(t->operand[0], AS_DOUBLE));
    case TREE_SUM:
        return format_text("(%s)", terms_in_c(t, type));
    default: /* TREE_PRODUCT; other kinds are not scalars */
        return format_text("(%s)", factors_in_c(t, type));
    }
}

/* Names */

/* The enum constant for the index of a matrix: W_Q for "W^Q". */
static const char *
constant_of(const PlanWeight *w)
{
    char *name = copy_text(w->stored);
    for (char *c = name; *c; c++) {
        unsigned char letter = (unsigned char)*c;
        *c = isalnum(letter) ? (char)toupper(letter) : '_';
    }
    return name;
}

/* Names that a variable of forward must not have: the parameters of forward,
   the keywords of C, and the functions of the public headers, of the written
   file and of the C library. Compilers warn if a variable hides a function. */
static const char taken[] =
    "a x y w h int double float char const static return for if else do while "
    "switch case default break continue long short signed unsigned void struct "
    "union enum typedef goto register extern sizeof auto volatile inline "
    "restrict matmul matmul_t add hadamard scale tanh_of sigmoid gelu map "
    "split columns concat rms_norm mix_heads shift cached attend attend_biased "
    "rotate scores fixed_bias softmax softmax_sink apply_weights mask_zero "
    "remember recall exp log sqrt pow setting weight initialise each_head "
    "sum_heads gamma j0 j1 jn y0 y1 yn div abs labs index time";

/* Writing */

typedef struct Printer {
    FILE *to;
    const Plan *plan;
    const char **variable; /* the variable of each step, or NULL */
} Printer;

static const char *call_of(const Printer *p, int step);

/* A step as the operand of a call: its variable, x, y, or the step's call. */
static const char *
operand(const Printer *p, int step)
{
    const Step *s = &p->plan->step[step];
    if (p->variable[step])
        return p->variable[step];
    if (s->kind == STEP_X)
        return "x";
    return s->kind == STEP_Y ? "y" : call_of(p, step);
}

enum { INDENT = 4, CONTINUED_INDENT = 8, LINE_WIDTH = 79 };

/* Prints a statement. Breaks the line after a comma if the text up to the next
   comma would make it wider than LINE_WIDTH. */
static void
print_statement(FILE *to, const char *text)
{
    int column = fprintf(to, "%*s", INDENT, "");
    while (*text) {
        int n = (int)strcspn(text, ","); /* the bytes before the comma */
        if (text[n] == ',')
            n++;
        bool line_is_empty = column <= CONTINUED_INDENT;
        if (!line_is_empty && column + n > LINE_WIDTH) {
            fprintf(to, "\n%*s", CONTINUED_INDENT, "");
            column = CONTINUED_INDENT;
            if (*text == ' ') { /* the blank after the last comma */
                text++;
                n--;
            }
        }
        column += fprintf(to, "%.*s", n, text);
        text += n;
    }
    putc('\n', to);
}

/* A call of the function in each_head_source. Its last argument is the width of
   a head's block in the second operand, or 0 if all heads share the operand. */
static const char *
each_head_text(const Step *s, const char *first, const char *second)
{
    bool transposed = s->kind == STEP_EACH_HEAD_T;
    return format_text(
        "each_head(%s, %s, %s, %s, %s, %s)", transposed ? "matmul_t" : "matmul",
        first, second, argument(s->heads, AS_INT),
        argument(width_known(s->width), AS_INT),
        s->block ? argument(width_known(s->block), AS_INT) : "0");
}

/* A call of concat with all operands of the step. */
static const char *
joined_text(const Printer *p, const Step *s)
{
    Values all = {0};
    for (int i = 0; i < s->inputs; i++)
        values_add(&all, copy_text(operand(p, s->in[i])));
    return format_text("concat((Node *[]){%s}, %d)", joined(&all, ", "),
                       s->inputs);
}

/* A call of one function, with the operands of the step as arguments, and then
   its scalars (Step.scalar). */
typedef struct PlainCall {
    const char *begin;   /* the call up to its first operand; `a` is the
                            Attention */
    const char *scalars; /* their types: d for double, i for int */
} PlainCall;

/* Indexed by the kind of a step. */
static const PlainCall plain_calls[STEP_KINDS] = {
    [STEP_MAP] = {"matmul(", ""},
    [STEP_MAP_T] = {"matmul_t(", ""},
    [STEP_SCORES] = {"scores(a, ", "d"},
    [STEP_SOFTMAX] = {"softmax(a, ", ""},
    [STEP_SINK] = {"softmax_sink(a, ", ""},
    [STEP_MASK] = {"mask_zero(a, ", ""},
    [STEP_APPLY] = {"apply_weights(a, ", ""},
    [STEP_ATTEND] = {"attend(a, ", "d"},
    [STEP_ADD] = {"add(", ""},
    [STEP_ENTRIES] = {"hadamard(", ""},
    [STEP_SCALE] = {"scale(", "d"},
    [STEP_SPLIT] = {"split(", "i"},
    [STEP_COLUMNS] = {"columns(", "ii"},
    [STEP_RMS] = {"rms_norm(", "d"},
    [STEP_ROTATE] = {"rotate(a, ", "d"},
    [STEP_SHIFT] = {"shift(", "i"},
    [STEP_MIX] = {"mix_heads(", ""},
    [STEP_CACHED] = {"cached(", ""},
    [STEP_TANH] = {"tanh_of(", ""},
    [STEP_SIGMOID] = {"sigmoid(", ""},
    [STEP_GELU] = {"gelu(", ""},
};

/* The PlainCall of a step, such as "scale(q, 2.)". */
static const char *
plain_call(const Printer *p, const Step *s)
{
    const PlainCall *call = &plain_calls[s->kind];
    Values arguments = {0};
    for (int i = 0; i < s->inputs; i++)
        values_add(&arguments, copy_text(operand(p, s->in[i])));
    for (int i = 0; call->scalars[i]; i++) {
        CType type = call->scalars[i] == 'i' ? AS_INT : AS_DOUBLE;
        const Tree *scalar = s->scalar[i]; /* NULL: the scale 1 */
        const char *text = scalar ? argument(scalar, type) : "1";
        values_add(&arguments, copy_text(text));
    }
    return format_text("%s%s)", call->begin, joined(&arguments, ", "));
}

/* The call that computes a step. `first` and `second` are the operands of the
   call, or "" if the step has fewer. */
static const char *
call_of(const Printer *p, int step)
{
    const Step *s = &p->plan->step[step];
    const char *first = s->inputs > 0 ? operand(p, s->in[0]) : "";
    const char *second = s->inputs > 1 ? operand(p, s->in[1]) : "";
    switch (s->kind) {
    case STEP_WEIGHT:
        return format_text("w[%s]", constant_of(&p->plan->weight[s->weight]));
    case STEP_EACH_HEAD:
    case STEP_EACH_HEAD_T:
        return each_head_text(s, first, second);
    case STEP_SUM_HEADS:
        return format_text("sum_heads(%s, %s, %s)", first,
                           argument(s->heads, AS_INT),
                           argument(width_known(s->width), AS_INT));
    case STEP_SINK_ZERO:
        /* NULL is a sink of 0. */
        return format_text("softmax_sink(a, %s, NULL)", first);
    case STEP_JOIN:
        return joined_text(p, s);
    case STEP_EXP: /* exp is its own derivative */
        return format_text("map(%s, exp, exp)", first);
    default:
        return plain_call(p, s);
    }
}

/* Variables */

/* Does an earlier variable have this name, or is it one of `taken`? */
static bool
is_taken(const Printer *p, const char *name)
{
    for (int i = 0; i < p->plan->steps; i++)
        if (p->variable[i] && !strcmp(p->variable[i], name))
            return true;
    return index_in(taken, name) >= 0;
}

/* A name for a new variable: the wanted name, with _ instead of ^. Adds _ at
   the end until no other variable has the name. */
static const char *
free_name(const Printer *p, const char *wanted)
{
    char *name = copy_text(wanted);
    replace_in(name, "^", '_');
    while (is_taken(p, name))
        name = format_text("%s_", name);
    return name;
}

/* Prints "Node *NAME = CALL;" for a step. If an earlier step is its twin, with
   the same value in self-attention, prints "Node *NAME = y == x ? TWIN : CALL;"
   so that the value is computed only once. */
static void
print_variable(Printer *p, int step, const char *name)
{
    const char *call = call_of(p, step);
    int twin = p->plan->step[step].twin;
    if (twin != step && p->variable[twin])
        call = format_text("y == x ? %s : %s", p->variable[twin], call);
    print_statement(p->to, format_text("Node *%s = %s;", name, call));
    p->variable[step] = name;
}

/* The usual name of a step that is an operand of attention or scores: q, k or
   v. NULL for any other step. Steps that are not used, such as scores that were
   fused into a STEP_ATTEND, do not count. */
static const char *
usual_name(const Plan *p, int step)
{
    static const char *const names[] = {"q", "k", "v"};
    for (const Step *s = p->step; s < p->step + p->steps; s++) {
        if (!s->uses || (s->kind != STEP_ATTEND && s->kind != STEP_SCORES))
            continue;
        for (int i = 0; i < s->inputs; i++)
            if (s->in[i] == step)
                return names[i];
    }
    return NULL;
}

/* Is an earlier step the twin of this one, or is this the twin of a later step?
 */
static bool
has_twin(const Plan *p, int step)
{
    for (int i = 0; i < p->steps; i++)
        if (p->step[i].uses && i != step && p->step[i].twin == step)
            return true;
    return p->step[step].twin != step;
}

/* The name that a step's variable should have: the step's own name, its usual
   name, or n for node. NULL if the step needs no variable, because its call is
   written as an argument. */
static const char *
wanted_name(const Plan *p, int step)
{
    const Step *s = &p->step[step];
    if (!s->uses || !s->inputs) /* x, y and matrices have no operands */
        return NULL;
    if (s->name)
        return s->name;
    const char *usual = usual_name(p, step);
    if (usual)
        return usual;
    return s->uses > 1 || has_twin(p, step) ? "n" : NULL;
}

/* Prints the plugin's function forward: a statement for each variable, then the
   output. No step after the output is needed. "(void)w" keeps the compiler from
   warning that w is not used. */
static void
print_forward(Printer *p)
{
    const Plan *plan = p->plan;
    fprintf(p->to, "static Node *\n"
                   "forward(Attention *a, Node *x, Node *y, Node **w)\n{\n");
    if (!plan->weights)
        fprintf(p->to, "    (void)w;\n");
    for (int i = 0; i < plan->output; i++) {
        const char *wanted = wanted_name(plan, i);
        if (wanted)
            print_variable(p, i, free_name(p, wanted));
    }
    putc('\n', p->to);
    print_statement(p->to, format_text("return %s;", operand(p, plan->output)));
    fprintf(p->to, "}\n\n");
}

/* Prints the call that initialises a matrix. Unless its declaration gives other
   values, a bias or sink is initialised to 0, and a gain to 1. Any other matrix
   needs no call, because it has the default. */
static void
print_initialise(FILE *to, const PlanWeight *w)
{
    const Declaration *d = w->declared;
    const char *values = NULL; /* mean and standard deviation */
    if (d && d->mean)
        values = format_text("%s, %s", argument(d->mean, AS_DOUBLE),
                             argument(d->deviation, AS_DOUBLE));
    else if (w->adds)
        values = "0, 0";
    else if (w->multiplies)
        values = "1, 0";
    if (values)
        print_statement(
            to, format_text("initialise(w, %s, %s);", constant_of(w), values));
}

/* The rows or columns of a stored matrix: `width` of them for each of `blocks`
   blocks, or for one block if `blocks` is NULL. */
static const char *
size_text(const Tree *blocks, Width *width)
{
    const Tree *size = width_known(width);
    if (!blocks)
        return argument(size, AS_INT);
    return format_text("%s * %s", scalar_in_c(blocks, AS_INT),
                       scalar_in_c(size, AS_INT));
}

/* Prints "enum { W_Q, W_K, ... };", or nothing if the plan has no matrix,
   because an enum cannot be empty. */
static void
print_indices(FILE *to, const Plan *p)
{
    Values all = {0};
    for (int k = 0; k < p->weights; k++)
        values_add(&all, copy_text(constant_of(&p->weight[p->order[k]])));
    if (all.count)
        fprintf(to, "enum { %s };\n\n", joined(&all, ", "));
}

/* Prints the enum of the matrices' indices, and the plugin's function that
   declares the matrices. */
static void
print_weights(FILE *to, const Plan *p)
{
    print_indices(to, p);
    fprintf(to, "static void\nweights(Weights *w, const Attention *a)\n{\n");
    if (!p->weights)
        fprintf(to, "    (void)w, (void)a;\n");
    for (int k = 0; k < p->weights; k++) {
        const PlanWeight *w = &p->weight[p->order[k]];
        const char *rows = size_text(w->stacked ? w->heads : NULL, w->rows);
        const char *cols = size_text(w->stacked ? NULL : w->heads, w->cols);
        print_statement(to, format_text("weight(w, %s, \"%s\", %s, %s);",
                                        constant_of(w), w->stored, rows, cols));
        print_initialise(to, w);
    }
    fprintf(to, "}\n\n");
}

/* Functions that are written into the file if the plan needs them. */
/* clang-format off */
static const char each_head_source[] =
    "/* Multiplies each head i of n by the block of m that begins at column\n"
    "   i * block, or by all of m if block is 0. */\n"
    "static Node *\n"
    "each_head(Node *product(Node *, Node *), Node *n, Node *m, int heads,\n"
    "          int width, int block)\n"
    "{\n"
    "    Node *made[heads];\n"
    "    for (int i = 0; i < heads; i++) {\n"
    "        Node *part = columns(split(n, 1), i * width, width);\n"
    "        Node *by = block ? columns(m, i * block, block) : m;\n"
    "        made[i] = product(part, by);\n"
    "    }\n"
    "    return split(concat(made, heads), heads);\n"
    "}\n\n";
static const char sum_heads_source[] =
    "/* The sum of the heads of n. */\n"
    "static Node *\n"
    "sum_heads(Node *n, int heads, int width)\n"
    "{\n"
    "    Node *sum = columns(split(n, 1), 0, width);\n"
    "    for (int i = 1; i < heads; i++)\n"
    "        sum = add(sum, columns(split(n, 1), i * width, width));\n"
    "    return sum;\n"
    "}\n\n";
/* clang-format on */

/* Does the output depend on a step of this kind? */
static bool
has_step(const Plan *p, StepKind kind)
{
    for (const Step *s = p->step; s < p->step + p->steps; s++)
        if (s->uses && s->kind == kind)
            return true;
    return false;
}

/* Prints the beginning of the file: a comment with the whole text of the
   equation, and the #include. */
static void
print_heading(FILE *to, const char *name, const EquationText *e)
{
    char *text = copy_text(e->text);
    replace_in(text, "*", 'x'); /* or the text could end the comment */
    fprintf(to,
            "/* %s.c - a variant of attention, written from its equation:\n\n",
            name);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(to, "       %s\n", line);
    fprintf(to, "\n"
                "   <qkv/variant.h> is the manual, <qkv/tape.h> and "
                "<qkv/attend.h> list\n   the operators. */\n"
                "#include <qkv/variant.h>\n\n");
}

/* Prints the initial value of a field of the Variant: a C string. Each line of
   an equation becomes a separate string, which ends in "; ". C joins them. */
static void
print_field(FILE *to, const char *field, const char *text)
{
    fprintf(to, "    .%s = \"", field);
    char last = 0; /* the character that was printed before *c */
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            putc('\\', to);
        putc(*c, to);
        if (last == ';' && *c == ' ')
            fprintf(to, "\"\n                \"");
        last = *c;
    }
    fprintf(to, "\",\n");
}

void
print_plugin(FILE *to, const char *name, const Plan *p)
{
    const EquationText *e = p->text;
    Printer printer = {.to = to, .plan = p};
    printer.variable = allocate((size_t)p->steps, sizeof *printer.variable);
    print_heading(to, name, e);
    print_weights(to, p);
    if (has_step(p, STEP_EACH_HEAD) || has_step(p, STEP_EACH_HEAD_T))
        fputs(each_head_source, to);
    if (has_step(p, STEP_SUM_HEADS))
        fputs(sum_heads_source, to);
    print_forward(&printer);
    fprintf(to, "const Variant qkv_variant = {\n    .abi = QKV_ABI,\n");
    print_field(to, "equation", e->lines);
    if (*e->family)
        print_field(to, "family", e->family);
    print_field(to, "shape", plan_shape(p));
    if (*e->settings)
        print_field(to, "settings", e->settings);
    fprintf(to, "    .weights = weights,\n    .forward = forward,\n};\n");
}
