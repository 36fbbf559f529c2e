/* derive.h - what a variant computes, as its code says it. */
#ifndef DERIVE_COMMAND_H
#define DERIVE_COMMAND_H

/* The formula of the variant that `word` names, or what is in the way of one;
   to be freed. Its code runs in a process of its own. */
char *formula_of_variant(const char *word);

#endif
