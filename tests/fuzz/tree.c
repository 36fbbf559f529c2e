/* tree.c - files and folders below a path: listed, copied, removed, hashed. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "math/random.h"
#include "tree.h"

char found[MOST_FILES][LONGEST];
int found_count;

static int
by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Every path below one, in order of name, so that equal draws are equal
   edits. */
static void
look(const char *path, int deep)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat facts;
        char below[LONGEST];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            found_count == MOST_FILES ||
            snprintf(below, sizeof below, "%s/%s", path, e->d_name) >=
                (int)sizeof below)
            continue;
        strcpy(found[found_count++], below);
        if (deep && !lstat(below, &facts) && S_ISDIR(facts.st_mode))
            look(below, deep);
    }
    if (dir)
        closedir(dir);
}

void
list(const char *path, int deep)
{
    found_count = 0;
    look(path, deep);
    qsort(found, (size_t)found_count, sizeof *found, by_name);
}

void
erase_tree(const char *path)
{
    struct stat facts;
    if (lstat(path, &facts))
        return;
    DIR *dir = S_ISDIR(facts.st_mode) ? opendir(path) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char below[LONGEST];
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            snprintf(below, sizeof below, "%s/%s", path, e->d_name) <
                (int)sizeof below)
            erase_tree(below);
    }
    if (dir)
        closedir(dir);
    remove(path);
}

char bytes[MOST_FILE_BYTES + 1];
size_t size;

int
take(const char *path)
{
    struct stat facts;
    FILE *file = !lstat(path, &facts) && S_ISREG(facts.st_mode)
                     ? fopen(path, "rb")
                     : NULL;
    size = file ? fread(bytes, 1, MOST_FILE_BYTES, file) : 0;
    bytes[size] = 0;
    return file && !fclose(file);
}

void
put_back(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
}

void
copy_tree(const char *from, const char *to)
{
    struct stat facts;
    char below[LONGEST], beside[LONGEST], target[LONGEST];
    if (lstat(from, &facts))
        return;
    if (S_ISLNK(facts.st_mode)) {
        ssize_t n = readlink(from, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        (void)!symlink(target, to);
    } else if (S_ISDIR(facts.st_mode)) {
        mkdir(to, 0777);
        DIR *dir = opendir(from);
        for (struct dirent *e; dir && (e = readdir(dir));)
            if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
                snprintf(below, sizeof below, "%s/%s", from, e->d_name) <
                    (int)sizeof below &&
                snprintf(beside, sizeof beside, "%s/%s", to, e->d_name) <
                    (int)sizeof beside)
                copy_tree(below, beside);
        if (dir)
            closedir(dir);
    } else if (S_ISFIFO(facts.st_mode))
        mkfifo(to, 0600);
    else if (facts.st_size > MOST_FILE_BYTES) { /* a sparse one */
        int file = open(to, O_WRONLY | O_CREAT, 0600);
        (void)!ftruncate(file, facts.st_size);
        close(file);
    } else if (take(from))
        put_back(to);
}

uint64_t
tree_hash(const char *path, const char *const *but)
{
    struct stat facts;
    char target[LONGEST];
    uint64_t hash = hash_bytes(HASH_START, path, strlen(path) + 1);
    for (int i = 0; but[i]; i++)
        if (!strcmp(path, but[i]))
            return 0;
    if (lstat(path, &facts))
        return 0;
    hash = hash_bytes(hash, &facts.st_mode, sizeof facts.st_mode);
    if (S_ISLNK(facts.st_mode)) {
        ssize_t n = readlink(path, target, sizeof target);
        return hash_bytes(hash, target, n > 0 ? (size_t)n : 0);
    }
    if (!S_ISDIR(facts.st_mode)) {
        hash = hash_bytes(hash, &facts.st_size, sizeof facts.st_size);
        return take(path) ? hash_bytes(hash, bytes, size) : hash;
    }
    uint64_t sum = 0; /* in whatever order */
    char below[LONGEST];
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            snprintf(below, sizeof below, "%s/%s", path, e->d_name) <
                (int)sizeof below)
            sum += tree_hash(below, but);
    if (dir)
        closedir(dir);
    return hash_bytes(hash, &sum, sizeof sum);
}

const char *
tree_with(const char *path, const char *words)
{
    list(path, 1);
    for (int i = 0; i < found_count; i++)
        if (take(found[i]) && memmem(bytes, size, words, strlen(words)))
            return found[i];
    return NULL;
}
