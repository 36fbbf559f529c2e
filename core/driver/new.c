/* new.c - qkv new: a plugin to start from. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "variant/plugin.h"
#include "driver/cli/options.h"
#include "driver/check/compile.h"
#include "driver/commands.h"

/* @ stands for its name, $ for the folder of the headers. */
static const char source[] =
    "/* @.c - a variant of attention; so far, the standard one.\n"
    "\n"
    "   Build it, check it, train it:\n"
    "\n"
    "       cc -O2 -shared -fPIC -I'$' @.c -o @.so\n"
    "       qkv check ./@.c\n"
    "       qkv compare -v standard,./@.so -t reverse,induction\n"
    "\n"
    "   <qkv/variant.h> is the manual, <qkv/tape.h> and <qkv/attend.h> list\n"
    "   the operators. */\n"
    "#include <qkv/variant.h>\n"
    "\n"
    "enum { W_Q, W_K, W_V, W_O };\n"
    "\n"
    "/* The matrices: index, name, rows, columns. */\n"
    "static void\n"
    "weights(Weights *w, const Attention *a)\n"
    "{\n"
    "    weight(w, W_Q, \"W^Q\", a->d_model, a->heads * a->d_k);\n"
    "    weight(w, W_K, \"W^K\", a->d_model, a->heads * a->d_k);\n"
    "    weight(w, W_V, \"W^V\", a->d_model, a->heads * a->d_v);\n"
    "    weight(w, W_O, \"W^O\", a->heads * a->d_v, a->d_model);\n"
    "}\n"
    "\n"
    "/* The equation. Queries come from x, keys and values from y, a token a\n"
    "   row; the result has the shape of x. */\n"
    "static Node *\n"
    "forward(Attention *a, Node *x, Node *y, Node **w)\n"
    "{\n"
    "    Node *q = split(matmul(x, w[W_Q]), a->heads);\n"
    "    Node *k = split(matmul(y, w[W_K]), a->heads);\n"
    "    Node *v = split(matmul(y, w[W_V]), a->heads);\n"
    "\n"
    "    return matmul(attend(a, q, k, v, 1 / sqrt(a->d_k)), w[W_O]);\n"
    "}\n"
    "\n"
    "/* Optional: fills the matrices so that each head computes what another\n"
    "   variant's head does. Change it along with forward. */\n"
    "static void\n"
    "fit(const Form *f, const Attention *a, Entries *w)\n"
    "{\n"
    "    for (int i = 0; i < a->heads; i++) {\n"
    "        factor_scores(f, i, 1 / sqrt(a->d_k),\n"
    "                      columns_of(w, W_Q, i, a->d_k),\n"
    "                      columns_of(w, W_K, i, a->d_k));\n"
    "        factor_values(f, i, 1, columns_of(w, W_V, i, a->d_v),\n"
    "                      rows_of(w, W_O, i, a->d_v));\n"
    "    }\n"
    "}\n"
    "\n"
    "const Variant qkv_variant = {\n"
    "    .abi = QKV_ABI,\n"
    "    .equation = \"softmax(x W_i^Q (y W_i^K)' / sqrt(d_k)) y W_i^V\",\n"
    "    .shape = \"heads d-k d-v\", /* the shape options it uses */\n"
    "    .weights = weights,\n"
    "    .forward = forward,\n"
    "    .fit = fit,\n"
    "};\n";

static bool
write_source(FILE *to, const char *name, const char *headers)
{
    for (const char *c = source; *c; c++)
        if (*c == '@' || *c == '$')
            fputs(*c == '@' ? name : headers, to);
        else
            fputc(*c, to);
    return !ferror(to);
}

int
command_new(int argc, char **argv)
{
    Options o = options_read(argc, argv, NEW);
    char name[NAME_SIZE];
    if (o.rest_count != 1)
        usage("new takes one name, of the variant to begin");
    if (strchr(o.rest[0], '/') || strchr(o.rest[0], '.'))
        usage("%s: a name, without folder or ending: NAME.c is written here",
              o.rest[0]);
    plugin_name(o.rest[0], name);
    if (*name == '-')
        usage("%s: begins like an option; choose another name", name);
    char *there = plugin_find(name);
    if (there)
        usage("%s: there is a variant of that name, %s, and the two could not "
              "be compared; choose another name",
              name, there);
    char *file = format_text("%s.c", name);
    FILE *to = fopen(file, "wx");
    if (!to && errno == EEXIST)
        fail("%s: exists already; choose another name", file);
    if (!to || !write_source(to, name, include_directory().text) ||
        fclose(to)) {
        int error = errno;
        if (to)
            unlink(file);
        fail("%s: cannot be written: %s", file, strerror(error));
    }
    printf("%s is written. Change forward, then:\n\n"
           "  cc -O2 -shared -fPIC -I'%s' %s -o %s.so\n"
           "  qkv check ./%s\n"
           "  qkv compare -v standard,./%s.so -t reverse,induction\n",
           file, include_directory().text, file, name, file, name);
    free(file);
    options_free(&o);
    return 0;
}
