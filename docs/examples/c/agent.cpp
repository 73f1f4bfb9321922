// Plays whole games in several threads with the network's best action for every seat, and prints their scores.
//
//     agent OPTIONS NETWORK GAMES THREADS [EVALUATIONS [CANDIDATES [DEPTH]]]
//     agent num_players=2 agents/weights/carnegie-2.safetensors 4 2
//
// EVALUATIONS, CANDIDATES and DEPTH are the budget of a search for each decision.
#include <carnegie.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int checked(int status, const char *message) {
    if (status < -1) throw std::runtime_error(message);
    return status;
}

static std::vector<uint64_t> read_network(const carnegie_table &table, const char *path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(std::string("can't read ") + path);
    std::vector<char> file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    char message[400];
    int bytes = carnegie_network_bytes(&table, file.data(), file.size(), message, sizeof message);
    std::vector<uint64_t> network(static_cast<size_t>(checked(bytes, message)) / 8 + 1);
    checked(carnegie_network_read(&table, file.data(), file.size(), network.data(), network.size() * 8, message,
                                  sizeof message), message);
    return network;
}

int main(int count, char **words) try {
    if (count < 5) throw std::runtime_error("needs OPTIONS NETWORK GAMES THREADS [EVALUATIONS [CANDIDATES [DEPTH]]]");
    carnegie_table table;
    char message[400];
    checked(carnegie_table_set(&table, CARNEGIE_GAME_CARNEGIE, words[1], message, sizeof message), message);
    const std::vector<uint64_t> network = read_network(table, words[2]);
    auto number = [&](int place) {
        if (count <= place) return 0;
        char *end;
        const long value = std::strtol(words[place], &end, 10);
        if (*end || value < 1 || value > 1000000)
            throw std::runtime_error(std::string(words[place]) + " is not a whole number from 1 to 1000000");
        return static_cast<int>(value);
    };
    const int games = number(3), threads = number(4);
    const carnegie_budget budget = {0, number(5), 0, number(6), number(7)};

    std::vector<carnegie_record> records(static_cast<size_t>(games));
    std::atomic<int> taken{0};
    auto play = [&] {
        std::vector<uint64_t> room(static_cast<size_t>(carnegie_workspace_bytes(&table, network.data(), 0)) / 8 + 1);
        std::vector<double> values(static_cast<size_t>(table.num_actions));
        for (int i = taken++; i < games; i = taken++) {
            carnegie_record *game = &records[static_cast<size_t>(i)];
            carnegie_start(&table, game, static_cast<uint64_t>(i));
            while (carnegie_to_play(&table, game) >= 0) {
                const size_t bytes = room.size() * 8;
                int action = budget.evaluations > 0
                    ? carnegie_search(&table, game, network.data(), &budget, 0, room.data(), bytes, values.data())
                    : carnegie_value(&table, game, network.data(), 0, 0, room.data(), bytes, values.data());
                carnegie_step(&table, game, action);
            }
        }
    };
    std::vector<std::thread> pool;
    for (int k = 0; k < threads; k++) pool.emplace_back(play);
    for (auto &each : pool) each.join();
    for (const auto &game : records) {
        std::vector<int32_t> scores(static_cast<size_t>(table.num_sides));
        carnegie_scores(&table, &game, scores.data());
        for (size_t side = 0; side < scores.size(); side++) std::cout << (side ? " " : "") << scores[side];
        std::cout << "\n";
    }
} catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
