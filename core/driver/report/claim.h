/* claim.h - a claim of a paper, as a recipe that says what is expected.

   Besides its commands such a recipe has lines that begin with one of these
   words, several lines of a word being one text:

       claim source published ours hypothesis    all five are there
       untestable      what cannot be tested here, and why
       expect [KEY=VALUE ...] COLUMN is VALUE,...
       expect [KEY=VALUE ...] COLUMN < VALUE, or >

   An expect line is about the table that the command above it prints as TSV:
   of its rows with these keys, one at least, each must be so. What those tables
   were stands in OUT/claim, and the verdict is computed from there. */
#ifndef CLAIM_H
#define CLAIM_H

#include <stdbool.h>
#include <stdio.h>

/* Does a line of a recipe begin with one of these words? */
bool claim_line(const char *line);

/* What a command printed; to be freed. */
typedef struct Printed {
    int line; /* of the recipe */
    char *tsv, *markdown;
} Printed;

/* Where recipes are, or claims; to be freed. */
char *recipes_directory(bool claims);

/* Exits (2) unless that is a claim, with the line that is wrong. */
void claim_check(const char *path);

/* Leaves in OUT/claim what the commands printed, the day, and a hash of it and
   of the results of the runs in OUT; a day that stands there with the same hash
   stays. */
void claim_keep(const char *out, const Printed *list, int count);

/* The section of the claim of that path, as it was run in `out`, with the
   verdict: in Markdown. */
void claim_write(FILE *to, const char *path, const char *out);

/* A page of all claims of plots/recipes/claims, NAME run in DIRECTORY/NAME or
   not yet: the table, and their sections. Figures are figures/claims/NAME/ from
   where the page is. */
void claims_write(FILE *to, const char *directory);

#endif
