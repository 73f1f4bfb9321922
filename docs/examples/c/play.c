/* Plays random decisions and prints a digest of the final positions, observations and scores.
 *
 *     play GAME OPTIONS GAMES DECISIONS       play 0 "num_players=3 modules=all" 64 15625 */
#include <carnegie.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static int number(const char *word, int least) {
    char *end;
    long found = strtol(word, &end, 10);
    if (end == word || *end != '\0' || found < least || found > INT_MAX) fail("wrong number", word);
    return (int)found;
}

/* SplitMix64. */
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t next(uint64_t *source) { return mix(*source += UINT64_C(0x9E3779B97F4A7C15)); }

/* FNV-1a. */
static uint64_t digest = UINT64_C(0xCBF29CE484222325);

static void add(const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (; bytes > 0; bytes--) digest = (digest ^ *at++) * UINT64_C(0x100000001B3);
}

int main(int count, char **words) {
    static carnegie_table table;
    static uint8_t legal[CARNEGIE_MOST_ACTIONS];
    static float observation[CARNEGIE_MOST_FEATURES];
    int32_t scores[CARNEGIE_MOST_SIDES];
    char message[400];
    if (count != 5) fail("play", "needs GAME OPTIONS GAMES DECISIONS");
    int which = number(words[1], 0), games = number(words[3], 1), decisions = number(words[4], 0);
    if (carnegie_table_set(&table, which, words[2], message, sizeof message) != 0) fail("table", message);
    for (int i = 0; i < games; i++) {
        carnegie_record game;
        uint64_t source = mix((uint64_t)i);
        if (carnegie_start(&table, &game, (uint64_t)i) != 0) fail("start", "failed");
        for (int k = 0; k < decisions; k++) {
            int choices = carnegie_legal_bytes(&table, &game, legal);
            if (choices == 0) { /* the game is over */
                carnegie_start(&table, &game, next(&source));
                choices = carnegie_legal_bytes(&table, &game, legal);
            }
            int wanted = (int)((next(&source) >> 32) * (uint64_t)choices >> 32), action = 0;
            while (!legal[action] || wanted-- > 0) action++;
            int status = carnegie_step(&table, &game, action);
            if (status < -1) fail(carnegie_action_text(table.game, action), carnegie_error_text(status));
        }
        add(&game, (size_t)table.record_bytes);
        for (int seat = 0; seat < table.num_players; seat++) {
            carnegie_observe(&table, &game, seat, observation);
            add(observation, sizeof(float) * (size_t)table.num_features);
        }
        carnegie_scores(&table, &game, scores);
        add(scores, sizeof(int32_t) * (size_t)table.num_sides);
    }
    printf("%016llx\n", (unsigned long long)digest);
    return 0;
}
