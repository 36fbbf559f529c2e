/* attention_maps.c - the attention maps of one sequence: how much each token
   attends to each token. */
#include <stdio.h>

#include "decode/tokens.h"
#include "watch/attention_maps.h"

/* The labels of the `count` tokens of a sequence. A token has `each` ids. */
static Values
labels_of(const Dataset *data, const int *ids, int count)
{
    int each = data->sizes.each;
    Values labels = {0};
    for (int i = 0; i < count; i++)
        values_add(&labels, copy_text(token_label(data, ids + i * each)));
    return labels;
}

/* At a place of kind ENCODER (heart/model.h), queries and keys are tokens of
   the encoder's sequence; at a place of kind CROSS, only the keys are; at a
   place of kind SELF, neither queries nor keys are. */
Maps
maps_of(const Model *m, const Dataset *data, const Batch *b, const Capture *r)
{
    Maps all = {0};
    all.tokens[MODEL_TOKENS] = labels_of(data, b->ids, b->rows);
    all.tokens[ENCODER_TOKENS] = labels_of(data, b->source, b->source_rows);
    for (int p = 0; p < r->places; p++)
        for (int h = 0; h < r->place[p].heads; h++) {
            int place = m->place[p].attention.place;
            Map map = {
                .queries_of = place == ENCODER ? ENCODER_TOKENS : MODEL_TOKENS,
                .keys_of = place == SELF ? MODEL_TOKENS : ENCODER_TOKENS};
            map.name = format_text("%s, head %d", m->place[p].name, h + 1);
            int head_of_call; /* the number of the head within its call */
            const Call *c = capture_head(r, p, h, &head_of_call);
            map.weights = call_weights(c, ONLY_SEQUENCE, head_of_call);
            all.map = grow(all.map, all.count, &all.capacity, sizeof *all.map);
            all.map[all.count++] = map;
        }
    return all;
}

double
map_weight(const Map *map, int i, int j)
{
    return (double)map->weights.at[i * map->weights.down + j];
}

/* The character for a weight, which is rounded to tenths: '.' below 0.05, '9'
   from 0.85 on, '*' from 0.95 on. */
static char
shade(double weight)
{
    return ".123456789*"[(int)(10 * weight + 0.5)];
}

void
maps_print(const Maps *maps)
{
    /* In the 80 columns of a line: a query's label, a character for each key,
       and, if some keys do not fit, " ..". */
    enum { LABEL = 8, DOTS = 3, MOST_KEYS = 80 - LABEL - DOTS };
    if (maps->count)
        printf("Rows are queries, columns are keys, in order; tenths of a "
               "weight: . below 0.05,\n"
               "* from 0.95 on. Each row sums to 1 (less with a sink).\n");
    for (const Map *map = maps->map; map < maps->map + maps->count; map++) {
        const Values *rows = &maps->tokens[map->queries_of];
        int keys = maps->tokens[map->keys_of].count;
        printf("\n%s\n", map->name);
        for (int i = 0; i < rows->count; i++) {
            print_label(rows->text[i], -LABEL); /* aligned left */
            for (int j = 0; j < keys && j < MOST_KEYS; j++)
                putchar(shade(map_weight(map, i, j)));
            printf(keys > MOST_KEYS ? " ..\n" : "\n");
        }
    }
}
