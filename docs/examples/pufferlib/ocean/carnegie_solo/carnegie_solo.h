/* Carnegie against Andrew as an environment of PufferLib 4, on the C library of docs/c.md.
 *
 * observations: what the seat sees, then 0 or 1 for each action: the mask of legal actions. Releases of PufferLib 4
 *               that know MY_ACTION_MASK sample by action_mask; with others, a policy can add (mask - 1) * 1e9 to its
 *               logits.
 * actions:      the number of an action. An illegal one is replaced by the next legal one, cyclically, and logged.
 * rewards:      the change of the margin over Andrew, as if the game ended now, in units of 100 points. Their sum over a
 *               game is the final margin: the first one includes the margin of the deal.
 * terminals:    1 at the end of a game; the observation is then the first one of the next game. */
#include <carnegie.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 926, ACTIONS = 333 }; /* without modules; make_env checks it */
static const float UNIT = 100;

typedef struct Log { /* sums over finished games */
    float perf;      /* 1 for a victory over Andrew */
    float score;
    float episode_return;
    float episode_length;
    float margin;
    float illegal; /* share of the actions */
    float n;
} Log;

typedef struct CarnegieSolo {
    Log log;
    float *observations, *actions, *rewards, *terminals;
    unsigned char *action_mask; /* NULL without MY_ACTION_MASK */
    int num_agents;
    unsigned int rng;
    carnegie_table table;
    carnegie_record game;
    uint64_t games;
    float margin;
    int length, illegal;
} CarnegieSolo;

/* difficulty: 0 (beginner) to 3 (expert). */
void make_env(CarnegieSolo *env, int difficulty) {
    static const char *const names[] = {"beginner", "normal", "difficult", "expert"};
    char options[64], message[200] = "difficulty must be from 0 to 3";
    int status = -2;
    if (difficulty >= 0 && difficulty <= 3) {
        snprintf(options, sizeof options, "num_players=1 difficulty=%s", names[difficulty]);
        status = carnegie_table_set(&env->table, CARNEGIE_GAME_CARNEGIE, options, message, sizeof message);
    }
    if (status != 0 || env->table.num_features != FEATURES || env->table.num_actions != ACTIONS) {
        fprintf(stderr, "carnegie_solo: %s\n", status != 0 ? message : "FEATURES or ACTIONS are of another version");
        exit(1);
    }
    env->num_agents = 1;
    env->games = 0;
}

static float margin_of(const CarnegieSolo *env) {
    float margin;
    carnegie_rewards(&env->table, &env->game, CARNEGIE_MARGIN, &margin);
    return margin;
}

static void show(CarnegieSolo *env) {
    uint8_t legal[ACTIONS];
    carnegie_observe(&env->table, &env->game, 0, env->observations);
    carnegie_legal_bytes(&env->table, &env->game, legal);
    for (int action = 0; action < ACTIONS; action++) env->observations[FEATURES + action] = legal[action];
    if (env->action_mask != NULL) memcpy(env->action_mask, legal, ACTIONS);
}

static void deal(CarnegieSolo *env) {
    carnegie_start(&env->table, &env->game, (uint64_t)env->rng << 32 | env->games++);
    env->margin = 0;
    env->length = env->illegal = 0;
}

void c_reset(CarnegieSolo *env) {
    deal(env);
    show(env);
}

void c_step(CarnegieSolo *env) {
    float given = env->actions[0];
    int chosen = given >= 0 && given < ACTIONS ? (int)given : 0, action = chosen;
    while (env->observations[FEATURES + action] == 0) action = (action + 1) % ACTIONS;
    env->illegal += action != chosen;
    env->length++;
    int next = carnegie_step(&env->table, &env->game, action);
    float margin = margin_of(env);
    env->rewards[0] = (margin - env->margin) / UNIT;
    env->terminals[0] = next < 0;
    env->margin = margin;
    if (next < 0) {
        int32_t scores[CARNEGIE_MOST_SIDES];
        carnegie_scores(&env->table, &env->game, scores);
        env->log.perf += margin > 0;
        env->log.score += (float)scores[0];
        env->log.episode_return += margin / UNIT;
        env->log.episode_length += (float)env->length;
        env->log.margin += margin;
        env->log.illegal += (float)env->illegal / (float)env->length;
        env->log.n++;
        deal(env);
    }
    show(env);
}

/* In words: the engine has no pictures. */
void c_render(CarnegieSolo *env) {
    int32_t scores[CARNEGIE_MOST_SIDES];
    carnegie_scores(&env->table, &env->game, scores);
    printf("decision %d, player %d, Andrew %d:", env->length, (int)scores[0], (int)scores[1]);
    for (int action = 0; action < ACTIONS; action++) {
        if (env->observations[FEATURES + action] != 0) printf(" [%s]", carnegie_action_text(env->table.game, action));
    }
    printf("\n");
}

void c_close(CarnegieSolo *env) { (void)env; /* it has allocated nothing */ }
