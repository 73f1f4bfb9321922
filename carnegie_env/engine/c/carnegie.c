/* The C interface: carnegie.h says what each function does.
 *
 * A loop takes one array of 64-bit words, for each array its address and its shape, for each number its bits, and
 * returns 0, or something else if the rules raised an error. tables.h, which c_library.py generates, has a struct with
 * the names of these words for each loop, the names of actions, and the options: for each number of players a table
 * with the default options, and for each value of an option the bits of the table that it changes. */
#include "carnegie.h"

#include <math.h>
#include <string.h>
#ifndef __wasm__
#include <time.h>
#endif

typedef int32_t (*loop)(void **result, void **error, int64_t *words);
typedef struct {
    uint16_t place;
    uint8_t bits, value;
} change;
typedef struct {
    const char *option, *value;
    uint8_t in_modules; /* whether the option `modules` names it */
    uint16_t first, last; /* of changes */
} option_value;
typedef struct {
    uint8_t game, players;
    uint16_t first, last; /* of option_values */
} kind;

#include "tables.h"

enum { MOST_OPTIONS = 32 };
static const uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

/* ---- messages */
typedef struct {
    char *at;
    size_t left;
} message;

static message message_in(char *text, size_t bytes) {
    message made = {bytes == 0 ? NULL : text, text == NULL || bytes == 0 ? 0 : bytes - 1};
    if (made.at != NULL) *made.at = '\0';
    return made;
}

static void add(message *to, const char *text, size_t length) {
    for (; length > 0 && to->left > 0; length--, to->left--) *to->at++ = *text++;
    if (to->at != NULL) *to->at = '\0';
}

static void say(message *to, const char *text) { add(to, text, strlen(text)); }

static void say_number(message *to, int64_t number) {
    char digits[24];
    int at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0) digits[--at] = '-';
    add(to, digits + at, sizeof digits - (size_t)at);
}

/* Return an error that has no message of its own. */
static int fail(message *to, int error) {
    say(to, carnegie_error_text(error));
    return error;
}

/* ---- pieces of text */
typedef struct {
    const char *at;
    size_t length;
} piece;

static int is(piece given, const char *text) {
    return given.length == strlen(text) && memcmp(given.at, text, given.length) == 0;
}

static void say_piece(message *to, piece given) {
    say(to, "'");
    add(to, given.at, given.length < 40 ? given.length : 40);
    say(to, "'");
}

/* The part of a text before a separator; the text goes on behind it. */
static piece cut(piece *rest, char separator) {
    piece found = {rest->at, 0};
    while (found.length < rest->length && rest->at[found.length] != separator) found.length++;
    size_t used = found.length + (found.length < rest->length);
    rest->at += used;
    rest->length -= used;
    return found;
}

/* ---- options */
typedef struct {
    carnegie_table *table;
    const kind *of;
    int given[MOST_OPTIONS]; /* the values, places in option_values */
    int number;
} options;

static int set_value(options *it, int place, message *to) {
    for (int k = 0; k < it->number; k++) {
        if (it->given[k] == place) return 0;
        if (strcmp(option_values[it->given[k]].option, option_values[place].option) == 0) {
            say(to, option_values[place].option);
            say(to, " is given twice, with different values");
            return CARNEGIE_ERROR_OPTIONS;
        }
    }
    if (it->number == MOST_OPTIONS) return fail(to, CARNEGIE_ERROR_OPTIONS);
    it->given[it->number++] = place;
    uint8_t *bytes = (uint8_t *)it->table;
    for (int k = option_values[place].first; k < option_values[place].last; k++) {
        uint8_t *byte = bytes + changes[k].place;
        *byte = (uint8_t)((*byte & ~changes[k].bits) | (changes[k].value & changes[k].bits));
    }
    return 0;
}

static int set_modules(options *it, piece names, message *to) {
    int all = is(names, "all");
    piece name;
    do {
        name = cut(&names, ',');
        if (!all && is(name, "all")) {
            say(to, "among modules, all stands by itself: it means every module that goes with the players");
            return CARNEGIE_ERROR_OPTIONS;
        }
        int found = 0;
        for (int k = it->of->first; k < it->of->last; k++) {
            if (!option_values[k].in_modules || !(all || is(name, option_values[k].option))) continue;
            found = 1;
            int status = set_value(it, k, to);
            if (status != 0) return status;
        }
        if (!found) {
            say(to, "there is no module ");
            say_piece(to, name);
            say(to, " with num_players=");
            say_number(to, it->of->players);
            say(to, "; there are all");
            for (int k = it->of->first; k < it->of->last; k++) {
                if (!option_values[k].in_modules) continue;
                say(to, ", ");
                say(to, option_values[k].option);
            }
            return CARNEGIE_ERROR_OPTIONS;
        }
    } while (names.at > name.at + name.length); /* a comma was cut off */
    return 0;
}

static int set_option(options *it, piece name, piece value, message *to) {
    int first = it->of->first, last = it->of->last, known = 0, modules = 0;
    for (int k = first; k < last; k++) {
        modules |= option_values[k].in_modules;
        if (!is(name, option_values[k].option)) continue;
        if (is(value, option_values[k].value)) return set_value(it, k, to);
        known = 1;
    }
    if (modules && is(name, "modules")) return set_modules(it, value, to);
    if (known) {
        const char *between = " must be ";
        add(to, name.at, name.length);
        for (int k = first; k < last; k++) {
            if (!is(name, option_values[k].option)) continue;
            say(to, between);
            say(to, option_values[k].value);
            between = " or ";
        }
        say(to, ", not ");
        say_piece(to, value);
    } else {
        say(to, "there is no option ");
        say_piece(to, name);
        say(to, "; the options are num_players");
        for (int k = first; k < last; k++) {
            if (k > first && strcmp(option_values[k].option, option_values[k - 1].option) == 0) continue;
            say(to, ", ");
            say(to, option_values[k].option);
        }
        if (modules) say(to, ", modules");
    }
    say(to, " (with num_players=");
    say_number(to, it->of->players);
    say(to, ")");
    return CARNEGIE_ERROR_OPTIONS;
}

static int set_players(options *it, int game, piece text, message *to) {
    int least = 0, most = 0;
    it->of = NULL;
    for (int k = 0; k < (int)(sizeof kinds / sizeof kinds[0]); k++) {
        if (kinds[k].game != game) continue;
        if (least == 0) least = kinds[k].players;
        most = kinds[k].players;
        if (text.at == NULL ? it->of == NULL && default_players[game] == most
                            : text.length == 1 && text.at[0] - '0' == most) {
            it->of = &kinds[k];
            memcpy(it->table, images[k], sizeof *it->table);
        }
    }
    if (it->of != NULL) return 0;
    say(to, "num_players must be from ");
    say_number(to, least);
    say(to, " to ");
    say_number(to, most);
    say(to, ", not ");
    say_piece(to, text);
    return CARNEGIE_ERROR_OPTIONS;
}

/* The next option of a text; 0 at its end. */
static int next_option(piece *rest, piece *name, piece *value) {
    do *value = cut(rest, ' ');
    while (value->length == 0 && rest->length > 0);
    int found = value->length > 0;
    *name = cut(value, '=');
    return found;
}

int carnegie_table_set(carnegie_table *table, int game, const char *text, char *given, size_t given_bytes) {
    message to = message_in(given, given_bytes);
    if (table == NULL || text == NULL || (uintptr_t)table % 8 != 0) return fail(&to, CARNEGIE_ERROR_NULL);
    if (game < 0 || game >= NUM_GAMES) return fail(&to, CARNEGIE_ERROR_GAME);
    carnegie_table made;
    options it = {&made, NULL, {0}, 0};
    piece whole = {text, strlen(text)}, rest = whole, name, value, players = {NULL, 0};
    while (next_option(&rest, &name, &value)) {
        if (is(name, "num_players")) players = value;
    }
    int status = set_players(&it, game, players, &to);
    for (rest = whole; status == 0 && next_option(&rest, &name, &value);) {
        if (!is(name, "num_players")) {
            status = set_option(&it, name, value, &to);
        } else if (value.at != players.at) {
            say(&to, "num_players is given twice");
            status = CARNEGIE_ERROR_OPTIONS;
        }
    }
    if (status != 0) return status;
    made.level = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (NUM_LEVELS > 1) {
        made.level = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    }
#endif
    *table = made;
    return 0;
}

const char *carnegie_action_text(int game, int action) {
    if (game < 0 || game >= NUM_GAMES || action < 0 || action >= num_texts[game]) return NULL;
    return texts[game][action];
}

const char *carnegie_error_text(int error) {
    switch (error) {
    case CARNEGIE_ERROR_NULL: return "a pointer is NULL, or not aligned to 8 bytes";
    case CARNEGIE_ERROR_GAME: return "there is no such game";
    case CARNEGIE_ERROR_OPTIONS: return "unknown, impossible or malformed options";
    case CARNEGIE_ERROR_RECORD: return "the record is not one of this table";
    case CARNEGIE_ERROR_ACTION: return "the action is not legal";
    case CARNEGIE_ERROR_SEAT: return "there is no such seat";
    case CARNEGIE_ERROR_OVER: return "the game is over";
    case CARNEGIE_ERROR_REWARD: return "there is no such reward";
    case CARNEGIE_ERROR_NETWORK: return "the network's file is malformed, or for other games";
    case CARNEGIE_ERROR_BUFFER: return "a buffer is too small";
    case CARNEGIE_ERROR_NUMBER: return "a number is out of range";
    case CARNEGIE_ERROR_FAILED: return "the rules failed: an error in the library, or a damaged record";
    default: return error >= -1 ? "no error" : "there is no such error";
    }
}

const char *carnegie_version(void) { return CARNEGIE_VERSION; }

int carnegie_interface(void) { return CARNEGIE_INTERFACE; }

int carnegie_table_bytes(void) { return (int)sizeof(carnegie_table); }

/* ---- games */
static int64_t address(const void *of) { return (int64_t)(intptr_t)of; }

static int run(loop function, void *words) {
    void *result[8], *error = NULL;
    return function(result, &error, words) == 0 ? 0 : CARNEGIE_ERROR_FAILED;
}

#define RUN(name, table, words) run(name##_loops[(table)->game][(table)->level], words)

static int8_t byte_of(const carnegie_record *record, int at) { return ((const int8_t *)record)[at]; }

static const uint64_t *legal_of(const carnegie_table *table, const carnegie_record *record) {
    return (const uint64_t *)((const char *)record + table->legal_at);
}

/* 0 if the record can be one of the table. */
static int check(const carnegie_table *table, const carnegie_record *record) {
    if (table == NULL || record == NULL || (uintptr_t)record % 8 != 0) return CARNEGIE_ERROR_NULL;
    int seat = byte_of(record, table->to_play_at), players = byte_of(record, table->players_at);
    return players == table->num_players && seat >= -1 && seat < players ? 0 : CARNEGIE_ERROR_RECORD;
}

static int check_seat(const carnegie_table *table, const carnegie_record *record, int seat) {
    int status = check(table, record);
    return status == 0 && (seat < 0 || seat >= table->num_players) ? CARNEGIE_ERROR_SEAT : status;
}

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int carnegie_start(const carnegie_table *table, carnegie_record *record, uint64_t seed) {
    if (table == NULL || record == NULL || (uintptr_t)record % 8 != 0) return CARNEGIE_ERROR_NULL;
    carnegie_record made = {{0}};
    start_words words = {.games = address(&made), .games_0 = 1, .template = address(table->start), .template_0 = 1,
                         .seeds = address(&seed), .seeds_0 = 1};
    int status = RUN(start, table, &words);
    if (status == 0) memcpy(record, &made, (size_t)table->record_bytes);
    return status;
}

int carnegie_to_play(const carnegie_table *table, const carnegie_record *record) {
    int status = check(table, record);
    return status != 0 ? status : byte_of(record, table->to_play_at);
}

const uint64_t *carnegie_legal_words(const carnegie_table *table, const carnegie_record *record) {
    return check(table, record) == 0 ? legal_of(table, record) : NULL;
}

static int is_legal(const carnegie_table *table, const carnegie_record *record, int action) {
    return action >= 0 && action < table->num_actions && (legal_of(table, record)[action / 64] >> (action % 64) & 1);
}

int carnegie_legal_bytes(const carnegie_table *table, const carnegie_record *record, uint8_t *out) {
    int status = check(table, record), number = 0;
    if (status == 0 && out == NULL) status = CARNEGIE_ERROR_NULL;
    if (status != 0) return status;
    const uint64_t *legal = legal_of(table, record);
    for (int action = 0; action < table->num_actions; action++) {
        out[action] = (uint8_t)(legal[action / 64] >> (action % 64) & 1);
        number += out[action];
    }
    return number;
}

int carnegie_step(const carnegie_table *table, carnegie_record *record, int action) {
    int status = check(table, record);
    if (status != 0) return status;
    if (byte_of(record, table->to_play_at) < 0) return CARNEGIE_ERROR_OVER;
    if (!is_legal(table, record, action)) return CARNEGIE_ERROR_ACTION;
    int64_t chosen = action;
    play_words words = {.games = address(record), .games_0 = 1, .chosen = address(&chosen), .chosen_0 = 1,
                        .seeds = address(&chosen), .seeds_0 = 0};
    status = RUN(play, table, &words);
    return status != 0 ? status : byte_of(record, table->to_play_at);
}

int carnegie_play_out(const carnegie_table *table, carnegie_record *record, uint64_t seed) {
    int status = check(table, record);
    if (status != 0) return status;
    play_words words = {.games = address(record), .games_0 = 1, .chosen = address(&seed), .chosen_0 = 0,
                        .seeds = address(&seed), .seeds_0 = 1};
    status = RUN(play, table, &words);
    return status != 0 ? status : (int)words.games;
}

int carnegie_observe(const carnegie_table *table, const carnegie_record *record, int seat, float *out) {
    int status = check_seat(table, record, seat);
    if (status == 0 && out == NULL) status = CARNEGIE_ERROR_NULL;
    if (status != 0) return status;
    int64_t seats = seat;
    observe_words words = {.games = address(record), .games_0 = 1, .seats = address(&seats), .seats_0 = 1,
                           .out = address(out), .out_0 = 1, .out_1 = table->num_features};
    return RUN(observe, table, &words);
}

static int score(const carnegie_table *table, const carnegie_record *record, int64_t *rows) {
    int status = check(table, record);
    if (status != 0) return status;
    score_words words = {.games = address(record), .games_0 = 1, .out = address(rows), .out_0 = 1,
                         .out_1 = table->score_rows, .out_2 = table->score_columns};
    return RUN(score, table, &words);
}

static int64_t in_rank(const carnegie_table *table, const int64_t *rows, int side, int rank) {
    return rows[table->side_rows[side] * table->score_columns + table->rank_columns[rank]];
}

int carnegie_scores(const carnegie_table *table, const carnegie_record *record, int32_t *out) {
    int64_t rows[MOST_SCORES];
    if (out == NULL) return CARNEGIE_ERROR_NULL;
    int status = score(table, record, rows);
    if (status != 0) return status;
    for (int side = 0; side < table->num_sides; side++) out[side] = (int32_t)in_rank(table, rows, side, 0);
    return 0;
}

int carnegie_rewards(const carnegie_table *table, const carnegie_record *record, int reward, float *out) {
    int64_t rows[MOST_SCORES];
    int ahead[CARNEGIE_MOST_SIDES] = {0}, behind[CARNEGIE_MOST_SIDES] = {0}, winners = 0;
    double sum = 0;
    if (out == NULL) return CARNEGIE_ERROR_NULL;
    if (reward < CARNEGIE_WIN || reward > CARNEGIE_SCORE) return CARNEGIE_ERROR_REWARD;
    int status = score(table, record, rows), sides = status == 0 ? table->num_sides : 0;
    if (status != 0) return status;
    for (int side = 0; side < sides; side++) {
        sum += (double)in_rank(table, rows, side, 0);
        for (int other = 0; other < sides; other++) {
            int64_t by = 0;
            for (int rank = 0; rank < table->num_ranks && by == 0; rank++) {
                by = in_rank(table, rows, other, rank) - in_rank(table, rows, side, rank);
            }
            ahead[side] += by > 0;
            behind[side] += by < 0;
        }
        winners += ahead[side] == 0;
    }
    for (int seat = 0; seat < table->num_players; seat++) {
        double own = (double)in_rank(table, rows, seat, 0);
        switch (reward) {
        case CARNEGIE_WIN:
            out[seat] = (float)(winners == sides ? 0.0 : ahead[seat] == 0 ? 1.0 / winners : -1.0 / (sides - winners));
            break;
        case CARNEGIE_RANK: out[seat] = (float)((double)(behind[seat] - ahead[seat]) / (sides - 1)); break;
        case CARNEGIE_MARGIN: out[seat] = (float)(own - (sum - own) / (sides - 1)); break;
        default: out[seat] = (float)own;
        }
    }
    return 0;
}

int carnegie_redraw_hidden(const carnegie_table *table, carnegie_record *record, int seat, uint64_t seed) {
    int status = check_seat(table, record, seat);
    if (status != 0) return status;
    int64_t seats = seat;
    redraw_hidden_words words = {.games = address(record), .games_0 = 1, .seats = address(&seats), .seats_0 = 1,
                                 .seeds = address(&seed), .seeds_0 = 1};
    return RUN(redraw_hidden, table, &words);
}

/* ---- networks: the format is described at https://github.com/huggingface/safetensors (8 bytes with the length of a
 * JSON object, the object, and the arrays). The file may come from an untrusted source. */
enum { FIRST, FIRST_BIAS, SECOND, SECOND_BIAS, LAST, LAST_BIAS, NUM_ARRAYS };
static const char *const array_names[] = {"first", "first_bias", "second", "second_bias", "last", "last_bias"};

typedef struct {
    const uint8_t *values;
    size_t bytes;
    uint64_t shape[2];
    int dimensions, item;
} array;

typedef struct {
    array arrays[NUM_ARRAYS];
    piece game, inputs;
    uint64_t hidden, middle;
} file;

typedef struct {
    uint64_t meaning, hidden, middle; /* carnegie_table.network; then the weights, in the order of array_names, float32 */
} network;

static void skip_space(piece *in) {
    while (in->length > 0 && (*in->at == ' ' || *in->at == '\n' || *in->at == '\t' || *in->at == '\r')) {
        in->at++;
        in->length--;
    }
}

static int take(piece *in, char wanted) {
    skip_space(in);
    if (in->length == 0 || *in->at != wanted) return 0;
    in->at++;
    in->length--;
    return 1;
}

/* A string as it is written, without its quotes. */
static int take_text(piece *in, piece *out) {
    if (!take(in, '"')) return 0;
    out->at = in->at;
    for (out->length = 0; out->length < in->length && in->at[out->length] != '"'; out->length++) {
        if (in->at[out->length] == '\\') out->length++;
    }
    if (out->length >= in->length) return 0;
    in->at += out->length + 1;
    in->length -= out->length + 1;
    return 1;
}

static int take_number(piece *in, uint64_t *out) {
    int digits = 0;
    skip_space(in);
    for (*out = 0; in->length > 0 && *in->at >= '0' && *in->at <= '9'; in->at++, in->length--, digits++) {
        *out = *out * 10 + (uint64_t)(*in->at - '0');
    }
    return digits > 0 && digits < 13;
}

/* Up to two numbers in brackets; returns how many, or -1. */
static int take_numbers(piece *in, uint64_t *out) {
    int number = 0;
    if (!take(in, '[')) return -1;
    do {
        if (number == 2 || !take_number(in, &out[number++])) return -1;
    } while (take(in, ','));
    return take(in, ']') ? number : -1;
}

static int take_metadata(piece *in, file *it) {
    piece name, text;
    if (!take(in, '{')) return 0;
    if (take(in, '}')) return 1;
    do {
        if (!take_text(in, &name) || !take(in, ':') || !take_text(in, &text)) return 0;
        if (is(name, "game")) it->game = text;
        if (is(name, "inputs")) it->inputs = text;
    } while (take(in, ','));
    return take(in, '}');
}

static int take_array(piece *in, array *out, const uint8_t *data, size_t data_bytes) {
    piece name, dtype = {"", 0};
    uint64_t span[2] = {1, 0}, size = 1;
    if (out->values != NULL || !take(in, '{')) return 0;
    do {
        if (!take_text(in, &name) || !take(in, ':')) return 0;
        if (is(name, "dtype")) {
            if (!take_text(in, &dtype)) return 0;
        } else if (is(name, "shape")) {
            if ((out->dimensions = take_numbers(in, out->shape)) < 1) return 0;
        } else if (!is(name, "data_offsets") || take_numbers(in, span) != 2) {
            return 0;
        }
    } while (take(in, ','));
    out->item = is(dtype, "F16") ? 2 : is(dtype, "F32") ? 4 : 0;
    for (int k = 0; k < out->dimensions; k++) {
        if (out->shape[k] < 1 || out->shape[k] > 1 << 20) return 0;
        size *= out->shape[k];
    }
    if (!take(in, '}') || out->item == 0 || out->dimensions == 0) return 0;
    if (span[0] > span[1] || span[1] > data_bytes || span[1] - span[0] != size * (uint64_t)out->item) return 0;
    out->values = data + span[0];
    out->bytes = (size_t)size * 4; /* as float32 */
    return 1;
}

static int parse(file *it, const uint8_t *bytes, size_t size) {
    uint64_t length = 0;
    memset(it, 0, sizeof *it);
    if (size < 8) return 0;
    for (int k = 7; k >= 0; k--) length = length << 8 | bytes[k];
    if (length > size - 8) return 0;
    piece in = {(const char *)bytes + 8, (size_t)length}, name;
    const uint8_t *data = bytes + 8 + length;
    if (!take(&in, '{')) return 0;
    do {
        int known = 0;
        if (!take_text(&in, &name) || !take(&in, ':')) return 0;
        if (is(name, "__metadata__")) {
            if (!take_metadata(&in, it)) return 0;
            continue;
        }
        for (int k = 0; k < NUM_ARRAYS; k++) {
            if (!is(name, array_names[k])) continue;
            if (!take_array(&in, &it->arrays[k], data, size - 8 - (size_t)length)) return 0;
            known = 1;
        }
        if (!known) return 0;
    } while (take(&in, ','));
    return take(&in, '}');
}

static float value_at(const array *from, size_t place) {
    uint32_t bits = 0;
    float made;
    const uint8_t *at = from->values + place * (size_t)from->item;
    for (int k = from->item - 1; k >= 0; k--) bits = bits << 8 | at[k];
    if (from->item == 2) {
        uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
        if (exponent == 0) { /* subnormal: an exact multiple of 2**-24 */
            float small = (float)fraction * (1.0f / 16777216);
            return sign ? -small : small;
        }
        bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    }
    memcpy(&made, &bits, sizeof made);
    return made;
}

/* 0 if the file has a network for the table. */
static int open_network(const carnegie_table *table, const void *bytes, size_t size, file *it, message *to) {
    static const uint8_t rows[NUM_ARRAYS] = {2, 1, 2, 1, 2, 1};
    if (table == NULL || bytes == NULL) return fail(to, CARNEGIE_ERROR_NULL);
    if (!parse(it, bytes, size)) {
        say(to, "it is not a safetensors file with the arrays first, first_bias, second, second_bias, last, last_bias");
        return CARNEGIE_ERROR_NETWORK;
    }
    uint64_t meaning = 0;
    for (size_t k = 0; k < it->inputs.length && k < 16; k++) {
        char digit = it->inputs.at[k];
        meaning = meaning << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    if (!is(it->game, game_names[table->game]) || it->inputs.length != 16 || meaning != table->network) {
        say(to, "it is a network for other games than this table's: for ");
        say_piece(to, it->game);
        say(to, ", inputs ");
        say_piece(to, it->inputs);
        return CARNEGIE_ERROR_NETWORK;
    }
    const array *all = it->arrays;
    uint64_t hidden = all[FIRST].shape[1], middle = all[SECOND].shape[0], inputs = (uint64_t)table->num_inputs;
    uint64_t shapes[NUM_ARRAYS][2] = {{inputs, hidden}, {hidden, 0}, {middle, hidden}, {middle, 0}, {2, middle},
                                      {2, 0}};
    int fits = hidden >= 1 && hidden <= LARGEST_UNITS && middle >= 1 && middle <= LARGEST_UNITS;
    for (int k = 0; k < NUM_ARRAYS; k++) {
        fits = fits && all[k].values != NULL && all[k].dimensions == rows[k] && all[k].shape[0] == shapes[k][0] &&
               (rows[k] == 1 || all[k].shape[1] == shapes[k][1]);
    }
    for (int k = 0; fits && k < NUM_ARRAYS; k++) {
        for (size_t place = 0; place < all[k].bytes / 4; place++) {
            float found = value_at(&all[k], place);
            fits = fits && found <= LARGEST_WEIGHT && found >= -LARGEST_WEIGHT;
        }
    }
    it->hidden = hidden;
    it->middle = middle;
    if (fits) return 0;
    say(to, "its arrays have inconsistent shapes, or values that are not finite or too large");
    return CARNEGIE_ERROR_NETWORK;
}

static size_t bytes_of(const file *it) {
    size_t sum = sizeof(network);
    for (int k = 0; k < NUM_ARRAYS; k++) sum += it->arrays[k].bytes;
    return (sum + 7) / 8 * 8;
}

int carnegie_network_bytes(const carnegie_table *table, const void *bytes, size_t size, char *text, size_t text_bytes) {
    file it;
    message to = message_in(text, text_bytes);
    int status = open_network(table, bytes, size, &it, &to);
    return status != 0 ? status : (int)bytes_of(&it);
}

int carnegie_network_read(const carnegie_table *table, const void *bytes, size_t size, void *out, size_t out_bytes,
                          char *text, size_t text_bytes) {
    file it;
    message to = message_in(text, text_bytes);
    if (out == NULL || (uintptr_t)out % 8 != 0) return fail(&to, CARNEGIE_ERROR_NULL);
    int status = open_network(table, bytes, size, &it, &to);
    if (status != 0) return status;
    if (out_bytes < bytes_of(&it)) return fail(&to, CARNEGIE_ERROR_BUFFER);
    *(network *)out = (network){table->network, it.hidden, it.middle};
    float *at = (float *)((network *)out + 1);
    for (int k = 0; k < NUM_ARRAYS; k++) {
        for (size_t place = 0; place < it.arrays[k].bytes / 4; place++) *at++ = value_at(&it.arrays[k], place);
    }
    return 0;
}

/* ---- values: the working memory is evaluation.Room */
typedef struct {
    char *base;
    size_t used;
} space;

static int64_t part(space *in, size_t bytes) {
    size_t at = in->used;
    in->used += (bytes + 15) / 16 * 16;
    return in->base == NULL ? 0 : address(in->base + at);
}

/* The words of a network and its room; their size is the room's. */
static choose_words room(const carnegie_table *table, const network *net, int draws, space *in) {
    int64_t F = table->num_inputs, H = (int64_t)net->hidden, M = (int64_t)net->middle, games = draws + 1;
    int64_t numbers = RANKS + table->num_ranks;
    size_t record = (size_t)table->record_bytes, f = 4 * (size_t)F, h = 4 * (size_t)H, m = 4 * (size_t)M;
    const float *first = (const float *)(net + 1), *second = first + F * H + H, *last = second + M * H + M;
    choose_words words = {
        .draws = draws,
        .net_first = address(first), .net_first_0 = F, .net_first_1 = H,
        .net_first_bias = address(first + F * H), .net_first_bias_0 = H,
        .net_second = address(second), .net_second_0 = M, .net_second_1 = H,
        .net_second_bias = address(second + M * H), .net_second_bias_0 = M,
        .net_last = address(last), .net_last_0 = 2, .net_last_1 = M,
        .net_last_bias = address(last + 2 * M), .net_last_bias_0 = 2,
        .room_played = part(in, record), .room_played_0 = 1,
        .room_trials = part(in, record * (size_t)games), .room_trials_0 = games,
        .room_before = part(in, f), .room_before_0 = F,
        .room_after = part(in, f), .room_after_0 = F,
        .room_other = part(in, f), .room_other_0 = F,
        .room_sums_before = part(in, h), .room_sums_before_0 = H,
        .room_sums = part(in, h), .room_sums_0 = H,
        .room_middle = part(in, m), .room_middle_0 = M,
        .room_places = part(in, 2 * f), .room_places_0 = F,
        .room_by = part(in, f), .room_by_0 = F,
        .room_rows = part(in, 8 * (size_t)(table->score_rows * table->score_columns)),
        .room_rows_0 = table->score_rows, .room_rows_1 = table->score_columns,
        .room_sides = part(in, 8 * (size_t)table->num_sides), .room_sides_0 = table->num_sides,
        .room_numbers = part(in, 8 * (size_t)numbers), .room_numbers_0 = numbers,
        .room_units = part(in, 16), .room_units_0 = 2,
        .room_used = part(in, 16), .room_used_0 = 2,
    };
    return words;
}

static int draws_of(const carnegie_table *table, int draws) {
    return draws != 0 ? draws : table->hides ? DRAWS : 1;
}

static int check_network(const carnegie_table *table, const void *net) {
    if (table == NULL || net == NULL || (uintptr_t)net % 8 != 0) return CARNEGIE_ERROR_NULL;
    return ((const network *)net)->meaning == table->network ? 0 : CARNEGIE_ERROR_NETWORK;
}

int carnegie_workspace_bytes(const carnegie_table *table, const void *net, int draws) {
    int status = check_network(table, net);
    if (status != 0) return status;
    if (draws < 0 || draws > MOST_DRAWS) return CARNEGIE_ERROR_NUMBER;
    space in = {NULL, 0};
    room(table, net, draws_of(table, draws), &in);
    return (int)in.used;
}

/* The seed of the samples: see value.seeds_of. */
static uint64_t seed_of(const carnegie_table *table, const carnegie_record *record, uint64_t seed) {
    int32_t decisions;
    memcpy(&decisions, (const char *)record + table->decisions_at, sizeof decisions);
    return mix(mix(seed + GOLDEN) ^ (uint64_t)decisions);
}

/* The words in a workspace, with the sizes of the table in it. */
static int prepare(const carnegie_table *table, const carnegie_record *record, const void *net, int draws, void *memory,
                   size_t bytes, double *values, choose_words *words) {
    int status = check(table, record), needed = carnegie_workspace_bytes(table, net, draws);
    if (status != 0) return status;
    if (needed < 0) return needed;
    if (memory == NULL || values == NULL || (uintptr_t)memory % 8 != 0) return CARNEGIE_ERROR_NULL;
    if (bytes < (size_t)needed) return CARNEGIE_ERROR_BUFFER;
    if (byte_of(record, table->to_play_at) < 0) return CARNEGIE_ERROR_OVER;
    space in = {memory, 0};
    memset(memory, 0, (size_t)needed);
    *words = room(table, net, draws_of(table, draws), &in);
    int64_t *sides = (int64_t *)(intptr_t)words->room_sides, *numbers = (int64_t *)(intptr_t)words->room_numbers;
    double *units = (double *)(intptr_t)words->room_units;
    for (int side = 0; side < table->num_sides; side++) sides[side] = table->side_rows[side];
    numbers[0] = table->num_features;
    numbers[1] = table->num_insights;
    for (int rank = 0; rank < table->num_ranks; rank++) numbers[RANKS + rank] = table->rank_columns[rank];
    units[0] = table->score_unit;
    units[1] = table->margin_unit;
    return 0;
}

static int rate(const carnegie_table *table, const carnegie_record *record, choose_words words, uint64_t seed,
                double *values) {
    int64_t best = -1;
    words.games = address(record);
    words.seeds = address(&seed);
    words.values = address(values);
    words.out = address(&best);
    words.games_0 = words.seeds_0 = words.values_0 = words.out_0 = 1;
    words.values_1 = table->num_actions;
    int status = RUN(choose, table, &words);
    return status != 0 ? status : (int)best;
}

int carnegie_value(const carnegie_table *table, const carnegie_record *record, const void *net, int draws,
                   uint64_t seed, void *workspace, size_t workspace_bytes, double *values) {
    choose_words words;
    int status = prepare(table, record, net, draws, workspace, workspace_bytes, values, &words);
    return status != 0 ? status : rate(table, record, words, seed_of(table, record, seed), values);
}

/* ---- search: search.py explains it */
#ifdef __wasm__
__attribute__((import_module("env"), import_name("now"))) double carnegie_now(void); /* milliseconds */
#else
static double carnegie_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}
#endif

typedef struct {
    const carnegie_table *table;
    const carnegie_record *record;
    const carnegie_budget *budget;
    choose_words words;
    double started;
    int depth;
} search;

static double share_of_time(const search *it) {
    return it->budget->milliseconds > 0 ? (carnegie_now() - it->started) / it->budget->milliseconds : 0;
}

/* The largest share spent of any limit. */
static double share(const search *it) {
    const int64_t *used = (const int64_t *)(intptr_t)it->words.room_used;
    double most = share_of_time(it);
    if (it->budget->evaluations > 0) most = fmax(most, (double)used[0] / (double)it->budget->evaluations);
    if (it->budget->decisions > 0) most = fmax(most, (double)used[1] / (double)it->budget->decisions);
    return most;
}

/* What is left of the budget, in evaluations and in decisions; as _Clock._rest() in search.py. */
static void rest_of(const search *it, double rest[2]) {
    const int64_t *used = (const int64_t *)(intptr_t)it->words.room_used;
    rest[0] = it->budget->evaluations > 0 ? (double)(it->budget->evaluations - used[0]) : INFINITY;
    rest[1] = it->budget->decisions > 0 ? (double)(it->budget->decisions - used[1]) : INFINITY;
    if (it->budget->milliseconds > 0) {
        double spent = carnegie_now() - it->started;
        double rate = fmax((double)used[0] / fmax(spent, 1e-6), PER_MS);
        rest[0] = fmin(rest[0], SPARE * rate * (it->budget->milliseconds - spent));
    }
    for (int k = 0; k < 2; k++) rest[k] = fmax(rest[k], 0);
}

/* Fewer samples than the workspace has room for, if they would take too much of the budget. */
static int64_t draws_within(const search *it, int64_t draws) {
    const uint64_t *legal = legal_of(it->table, it->record);
    double evaluations = it->budget->milliseconds > 0 ? it->budget->milliseconds * PER_MS : INFINITY;
    if (it->budget->evaluations > 0) evaluations = fmin(evaluations, (double)it->budget->evaluations);
    int actions = 0;
    for (int k = 0; k < it->table->num_actions; k++) actions += (int)(legal[k / 64] >> (k % 64) & 1);
    double most = FIRST_SHARE * evaluations / actions;
    return most >= (double)draws ? draws : most < 1 ? 1 : (int64_t)most;
}

/* Futures of some actions; 1: done, 0: time ran out, or an error. most: evaluations and decisions of each. */
static int play_futures(const search *it, const int64_t *actions, const uint64_t *seeds, int number,
                        const int64_t *most, double *out) {
    play_futures_words words = {
        .game = address(it->record), .game_0 = 1, .depth = it->depth, .most = address(most), .most_0 = 2};
    memcpy(&words.noise, &it->table->search_noise, sizeof words.noise);
    const char *net = (const char *)&it->words + offsetof(choose_words, net_first);
    size_t net_bytes = offsetof(choose_words, room_played) - offsetof(choose_words, net_first);
    memcpy((char *)&words + offsetof(play_futures_words, net_first), net, net_bytes);
    memcpy((char *)&words + offsetof(play_futures_words, others_first), net, net_bytes);
    memcpy((char *)&words + offsetof(play_futures_words, room_played),
           (const char *)&it->words + offsetof(choose_words, room_played),
           offsetof(choose_words, values) - offsetof(choose_words, room_played));
    for (int first = 0; first < number; first += AT_ONCE) {
        int these = number - first < AT_ONCE ? number - first : AT_ONCE;
        if (share_of_time(it) >= 1) return 0;
        play_futures_words copy = words;
        copy.actions = address(actions + first);
        copy.seeds = address(seeds + first);
        copy.out = address(out + first);
        copy.actions_0 = copy.seeds_0 = copy.out_0 = these;
        copy.plans_0 = copy.rated_0 = these; /* no plans: noise or hidden cards make futures differ */
        int status = RUN(play_futures, it->table, &copy);
        if (status != 0) return status;
    }
    return share_of_time(it) < 1;
}

/* Sort actions by value, best first; equal ones keep their order. */
static void sort(int64_t *actions, int number, const double *values) {
    for (int k = 1; k < number; k++) {
        int64_t action = actions[k];
        int at = k;
        for (; at > 0 && values[actions[at - 1]] < values[action]; at--) actions[at] = actions[at - 1];
        actions[at] = action;
    }
}

static int search_on(search *it, uint64_t seed, double *values) {
    enum { MOST = CARNEGIE_MOST_ACTIONS };
    int64_t actions[MOST * GROUP], alive[MOST];
    uint64_t seeds[MOST * GROUP];
    double out[MOST * GROUP], sums[MOST], number = PRIOR;
    int given = it->budget->candidates, most = given > 0 ? given : CANDIDATES, size = 0, phases = 0;
    int64_t played = 0;
    double rest[2];
    rest_of(it, rest);
    double left = fmin(rest[0], PER_DECISION * rest[1]);
    double fit = given > 0 ? sqrt(left / GIVEN_WIDTH) : left / (WIDTH * it->table->num_players);
    int tried = (int)fmin(fit, MOST);
    if (tried < 2) tried = 2;
    if (most > tried) most = tried;
    for (int action = 0; action < it->table->num_actions; action++) {
        if (values[action] > -INFINITY) alive[size++] = action;
        sums[action] = PRIOR * values[action];
    }
    sort(alive, size, values);
    if (size > most) size = most;
    while (1 << phases < size) phases++;
    for (int phase = 1; phase <= phases; phase++) {
        const int64_t *used = (const int64_t *)(intptr_t)it->words.room_used;
        double cost[2] = {1, 1}; /* evaluations and decisions of a future */
        int to_come = 0;         /* futures, with one group in each phase */
        for (int left = size; left > 1; left = (left + 1) / 2) to_come += GROUP * left;
        for (;;) {
            int64_t before[2] = {used[0], used[1]}, each[2];
            rest_of(it, rest);
            for (int k = 0; k < 2; k++) each[k] = (int64_t)fmin(rest[k] / to_come, 1099511627776.0);
            if ((double)each[0] < cost[0] || (double)each[1] < cost[1]) break;
            for (int k = 0; k < GROUP * size; k++) {
                actions[k] = alive[k % size];
                seeds[k] = mix(seed + (uint64_t)(played + k / size + 1) * GOLDEN);
            }
            int done = play_futures(it, actions, seeds, GROUP * size, each, out);
            if (done < 0) return done;
            if (done == 0) break;
            for (int k = 0; k < 2; k++) cost[k] = (double)(used[k] - before[k]) / (GROUP * size);
            played += GROUP;
            number += GROUP;
            for (int k = 0; k < size; k++) {
                double sum = 0;
                for (int group = 0; group < GROUP; group++) sum += out[group * size + k];
                sums[alive[k]] += sum;
                values[alive[k]] = sums[alive[k]] / number;
            }
            if (share(it) >= (double)phase / phases) break;
        }
        sort(alive, size, values);
        int kept = (size + 1) / 2;
        for (int k = kept; k < size; k++) values[alive[k]] = fmin(values[alive[k]], values[alive[kept - 1]]);
        size = kept;
    }
    int best = (int)alive[0];
    if (phases > 0) { /* actions that were dropped or never tried rank behind the last one */
        double least = nextafter(values[best], -INFINITY);
        for (int action = 0; action < it->table->num_actions; action++) {
            if (action != best) values[action] = fmin(values[action], least);
        }
    }
    return best;
}

int carnegie_search(const carnegie_table *table, const carnegie_record *record, const void *net,
                    const carnegie_budget *budget, uint64_t seed, void *workspace, size_t workspace_bytes,
                    double *values) {
    search it = {table, record, budget, {0}, 0, 0};
    if (budget == NULL) return CARNEGIE_ERROR_NULL;
    int limited = budget->milliseconds > 0 || budget->evaluations > 0 || budget->decisions > 0;
    int valid = budget->milliseconds >= 0 && budget->milliseconds < INFINITY && budget->evaluations >= 0 &&
                budget->decisions >= 0 && budget->candidates >= 0 && budget->depth >= 0;
    if (!limited || !valid) return CARNEGIE_ERROR_NUMBER;
    it.started = carnegie_now();
    it.depth = budget->depth > 0 ? budget->depth : DEPTH;
    int status = prepare(table, record, net, 0, workspace, workspace_bytes, values, &it.words);
    if (status != 0) return status;
    seed = seed_of(table, record, seed);
    it.words.draws = draws_within(&it, it.words.draws);
    int best = rate(table, record, it.words, seed, values);
    return best < 0 ? best : search_on(&it, seed, values);
}
