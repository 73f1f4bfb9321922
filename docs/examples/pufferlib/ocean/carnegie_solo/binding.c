#include "carnegie_solo.h"
#define OBS_SIZE 1259 /* FEATURES + ACTIONS */
#define NUM_ATNS 1
#define ACT_SIZES {ACTIONS}
#define OBS_TENSOR_T FloatTensor
#define MY_ACTION_MASK ACTIONS
#define Env CarnegieSolo
#include "vecenv.h"

typedef char sizes_agree[OBS_SIZE == FEATURES + ACTIONS ? 1 : -1];

void my_init(Env *env, Dict *kwargs) { make_env(env, (int)dict_get(kwargs, "difficulty")->value); }

void my_log(Log *log, Dict *out) {
    dict_set(out, "perf", log->perf);
    dict_set(out, "score", log->score);
    dict_set(out, "episode_return", log->episode_return);
    dict_set(out, "episode_length", log->episode_length);
    dict_set(out, "margin", log->margin);
    dict_set(out, "illegal", log->illegal);
}
