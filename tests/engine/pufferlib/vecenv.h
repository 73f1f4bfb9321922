/* A stub of PufferLib 4's header of this name, with the names that an environment's binding uses, and of its loop: it
 * makes environments as PufferLib does, gives them slices of shared buffers, and steps them with actions from a
 * generator, legal ones except for every 50th. It prints each environment's first steps and the aggregated log. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *key;
    double value;
    void *ptr;
} DictItem;
typedef struct {
    DictItem *items;
    int size, capacity;
} Dict;
typedef struct {
    float *data;
} FloatTensor;

static DictItem *dict_get(Dict *dict, const char *key) {
    for (int k = 0; k < dict->size; k++) {
        if (strcmp(dict->items[k].key, key) == 0) return &dict->items[k];
    }
    fprintf(stderr, "there is no setting %s\n", key);
    exit(1);
}

static void dict_set(Dict *dict, const char *key, double value) {
    assert(dict->size < dict->capacity);
    dict->items[dict->size++] = (DictItem){key, value, NULL};
}

void my_init(Env *env, Dict *kwargs);
void my_log(Log *log, Dict *out);

enum { ENVS = 8, STEPS = 2000, SHOWN = 400 };
static const int sizes[] = ACT_SIZES;

int main(int count, char **words) {
    DictItem settings[20], logged[20];
    Dict kwargs = {settings, 0, 20}, out = {logged, 0, 20};
    OBS_TENSOR_T observations = {calloc(ENVS * OBS_SIZE, sizeof(float))};
    static unsigned char masks[ENVS][MY_ACTION_MASK];
    float actions[ENVS * NUM_ATNS] = {0}, rewards[ENVS], terminals[ENVS];
    Env *envs = calloc(ENVS, sizeof(Env));
    Log sum = {0};
    uint32_t state = 1;
    for (int k = 1; k + 1 < count; k += 2) dict_set(&kwargs, words[k], atof(words[k + 1]));
    for (int i = 0; i < ENVS; i++) {
        envs[i].rng = (unsigned)i;
        my_init(&envs[i], &kwargs);
        envs[i].observations = observations.data + i * OBS_SIZE;
        envs[i].actions = actions + i * NUM_ATNS;
        envs[i].rewards = rewards + i;
        envs[i].terminals = terminals + i;
        if (i % 2 == 0) envs[i].action_mask = masks[i]; /* as releases with and without masks */
    }
    for (int i = 0; i < ENVS; i++) c_reset(&envs[i]);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < ENVS; i++) {
            const float *mask = envs[i].observations + OBS_SIZE - sizes[0];
            for (int k = 0; k < sizes[0] && envs[i].action_mask != NULL; k++) assert(mask[k] == masks[i][k]);
            state = state * 1664525 + 1013904223;
            int action = (int)(state >> 8) % sizes[0];
            while (step % 50 != 49 && mask[action] == 0) action = (action + 1) % sizes[0];
            actions[i] = (float)action;
        }
        memset(rewards, 0, sizeof rewards);
        memset(terminals, 0, sizeof terminals);
        for (int i = 0; i < ENVS; i++) {
            int action = (int)actions[i];
            c_step(&envs[i]);
            double seen = 0;
            for (int k = 0; k < OBS_SIZE; k++) seen += (k % 17 + 1) * envs[i].observations[k];
            if (step < SHOWN) printf("%d %d %.6f %d %.4f\n", i, action, rewards[i], (int)terminals[i], seen);
        }
    }
    c_render(&envs[0]);
    for (int i = 0; i < ENVS; i++) {
        for (size_t k = 0; k < sizeof(Log) / sizeof(float); k++) ((float *)&sum)[k] += ((float *)&envs[i].log)[k];
        c_close(&envs[i]);
    }
    for (size_t k = 0; k + 1 < sizeof(Log) / sizeof(float); k++) ((float *)&sum)[k] /= sum.n;
    my_log(&sum, &out);
    for (int k = 0; k < out.size; k++) printf("%s %g\n", out.items[k].key, out.items[k].value);
    free(envs);
    free(observations.data);
    return 0;
}
