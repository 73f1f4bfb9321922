"""Mistakes that no operator makes: a rule misread, a number of the wrong one, two steps in the wrong order, a value
where a table belongs. A short list by game, one from each corner of the rules.

Each is (place, right, wrong): in the function of that name (with its module where the name alone is not enough) the
code on the left stands once and gives way to the code on the right; see :func:`operators.by_hand`. Code is compared as
Python reads it, so neither its layout nor the file it stands in matters.
"""

from __future__ import annotations

Slip = tuple[str, str, str]

CARNEGIE: tuple[Slip, ...] = (
    # ---- set-up
    ("template", "t.ACTION_CHOICE[options.num_players, seat]", "t.ACTION_CHOICE[3, seat]"),
    ("_deal_display", "t.DEPARTMENTS_REMOVED[game.num_players]", "t.DEPARTMENTS_REMOVED[2]"),
    ("_deal_deck", "t.DIFFICULTY_ADVANCED[game.difficulty]", "t.DIFFICULTY_ADVANCED[0]"),
    ("apply_sides", "game.tab_side[seat, argument // t.TAB_SIDES] = argument % t.TAB_SIDES",
     "game.tab_side[seat, argument // t.TAB_SIDES] = 1"),
    ("apply_housing", "game.tab_built[game.to_play, HOUSING] += 1", "game.tab_built[game.first_player, HOUSING] += 1"),
    ("choose_tiles", "drawn[action] += 1", "drawn[0] += 1"),
    ("apply_sides", "if not company.pass_clockwise(game):\n    _deal_neutral_disks(game)\n"
     "    game.phase = state.HOUSING\n    game.to_play = (game.first_player - 1) % game.num_players",
     "if seat == game.first_player:\n    _deal_neutral_disks(game)\nif not company.pass_clockwise(game):\n"
     "    game.phase = state.HOUSING\n    game.to_play = (game.first_player - 1) % game.num_players"),
    ("_deal_neutral_disks", "kept = rng.set_apart(game, state.LOT_OF_NEUTRAL_DISKS)", "kept = game.rng"),
    ("_deal_neutral_disks", "rng.shuffle(game, cards)\ngame.rng = kept", "game.rng = kept\nrng.shuffle(game, cards)"),
    # ---- the timeline
    ("moving_row", "(row + 1) % t.TIMELINE_ROWS", "(row + 3) % t.TIMELINE_ROWS"),
    ("end_round", "game.marker[game.advancing_row] += 1", "game.marker[game.chosen_row] += 1"),
    ("apply_recover", "game.missions[seat, region] -= number", "game.missions[seat, region] -= 1"),
    ("pay_tabs", "range(game.tab_built[seat, project])", "range(min(game.tab_pulled[seat, project], 4))"),
    ("apply_tab_income", "t.TAB_CHOICE_MONEY.flat[game.choice]", "3"),
    # ---- the company
    ("apply_destination", "company.add_inactive(game, seat, space, 1)", "company.add_active(game, seat, space)"),
    ("apply_destination", "game.moves -= distance[lifted, space]", "game.moves -= 1"),
    ("legal_destination", "t.REACH_DIAGONAL if game.diagonal_moves else t.REACH",
     "t.REACH_DIAGONAL if company.works(game, game.to_play, t.CORPORATE_COMMUNICATIONS) else t.REACH"),
    ("lift", "remove_active(game, seat, space)",
     "remove_active(game, seat, space)\ngame.ready[space] = max(game.ready[space] - 1, 0)"),
    ("select", "game.ready[game.department_in_use] = 0",
     "game.ready[game.department_in_use] = max(game.ready[game.department_in_use] - 1, 0)"),
    ("_start", "game.ready[space] = game.active[seat, space] if game.spaces_of_type[seat, action] & bit(space) else 0",
     "game.ready[space] = min(game.active[seat, space], 1) if game.spaces_of_type[seat, action] & bit(space) else 0"),
    ("legal_destination", "(bit(t.COMPANY_SPACES) - 1) & ~bit(game.lifted)",
     "(bit(t.COMPANY_SPACES) - 1) & ~bit(game.lifted) & ~bit(t.LOBBY_SPACE)"),
    ("apply_human_resources", "(company.active_employees(game, seat) + per - 1) // per",
     "company.active_employees(game, seat) // per"),
    ("activation_cost", "t.ACTIVATION_COST[game.department[seat, space], game.active[seat, space]]",
     "t.ACTIVATION_COST[game.department[seat, space], 0]"),
    ("_legal_prices", "game.vp[seat] > 0", "game.vp[seat] != 0"),
    ("apply_activation", "cost = t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_PRICE]",
     "cost = min(cost, t.EFFECT[t.PAYROLL_MANAGEMENT, t.EFFECT_PRICE])"),
    ("legal_level", "(bit(space + 1) - 1) & ~(bit(lowest) - 1)", "bit(t.TRACK_SPACES) - 1"),
    ("apply_level", "_pay(game, game.to_play, region, space)",
     "_pay(game, game.to_play, region, game.track[game.to_play, region])"),
    # ---- management
    ("_sites", "return empty & game.inactive_at[seat]", "return int64(game.inactive_at[seat])"),
    ("apply_site", "if game.reserved[seat] > 0:\n    game.reserved[seat] = 0\nelse:\n    game.display[number] -= 1",
     "game.reserved[seat] = 0\ngame.display[number] -= 1"),
    ("apply_site", "company.works(game, seat, t.PROPERTY_MANAGEMENT)",
     "company.space_of(game, seat, t.PROPERTY_MANAGEMENT) >= 0"),
    ("apply_property", "company.add_inactive(game, game.to_play, game.site, 1)",
     "company.add_active(game, game.to_play, game.site)"),
    # ---- construction
    ("_can_build", "company.can_pay(game, seat, price, t.TAB_GOODS[project])", "company.can_pay(game, seat, price, 1)"),
    ("legal_construction", "company.works(game, seat, t.POLITICAL_LOBBYING)",
     "game.owned[seat] & bit(t.POLITICAL_LOBBYING)"),
    ("_build", "t.CITY_BONUS[city]", "t.CITY_SMALL[city]"),
    ("_build", "build < t.NUM_BUILDS and company.works(game, seat, t.POLITICAL_LOBBYING)",
     "build < t.NUM_BUILDS and not t.CITY_SMALL[city] and company.works(game, seat, t.POLITICAL_LOBBYING)"),
    ("left_most_free_space", "range(t.CITY_FIRST_SPACE[city], t.CITY_FIRST_SPACE[city + 1])",
     "range(t.CITY_FIRST_SPACE[city + 1] - 1, t.CITY_FIRST_SPACE[city] - 1, -1)"),
    # ---- research and donations
    ("step_cost", "t.TRACK_COST[region, game.track[seat, region]]", "t.TRACK_COST[region, 0]"),
    ("apply_advance", "game.research -= transport.step_cost(game, seat, argument)\n"
     "transport.advance(game, seat, argument)",
     "transport.advance(game, seat, argument)\ngame.research -= transport.step_cost(game, seat, argument)"),
    ("may_share_last_space", "company.works(game, owner, t.ARCHIVES)",
     "company.works(game, game.first_player, t.ARCHIVES)"),
    ("legal_turn", "research.legal_advance(game)", "if game.action == RESEARCH:\n    research.legal_advance(game)"),
    ("donation_cost", "company.works(game, seat, t.COMMUNICATIONS)",
     "company.space_of(game, seat, t.COMMUNICATIONS) >= 0"),
    ("donate", "company.pay(game, seat, donation_cost(game, seat), 0)\ngame.donations_made[seat] += 1",
     "game.donations_made[seat] += 1\ncompany.pay(game, seat, donation_cost(game, seat), 0)"),
    # ---- Andrew
    ("andrew.take_turn", "place += t.CARD_SHIFT[card]", "place += 1"),
    ("andrew.take_turn", "min(place, last)", "place % (last + 1)"),
    ("_resolve_event", "event.donation(game)", "event.next_donation(game, game.chosen_row)"),
    ("andrew._advance", "t.CARD_REGION[card]", "t.CITY_REGION[t.CARD_CITIES[card, 0]]"),
    ("andrew.redraw_hidden", "t.CARD_BACK[game.deck[r]]", "state.NONE"),
    # ---- expansion 1
    ("_reveal", "game.money[game.first_player] -= game.bid[game.first_player]",
     "for seat in range(game.num_players):\n    game.money[seat] -= game.bid[seat]"),
    ("rank", "int64(game.bid[seat]) * 1000 + cost(game, seat) - LEAST[0]",
     "int64(game.bid[seat]) * 2 + cost(game, seat) - LEAST[0]"),
    ("_highest_bidder", "rng.set_apart(game, state.LOT_OF_EQUAL_BIDS)",
     "rng.set_apart(game, state.LOT_OF_NEUTRAL_DISKS)"),
    ("_highest_bidder", "k = rng.draw(game, tied)\ngame.rng = kept", "game.rng = kept\nk = rng.draw(game, tied)"),
    ("new_start.redraw_hidden", "rng.draw(game, masks.count(game.legal))",
     "rng.draw(game, min(4, masks.count(game.legal)))"),
    ("rule_of", "t.NUM_DONATIONS + tile * t.PANEL_ROWS + cell % t.PANEL_ROWS",
     "t.NUM_DONATIONS + tile * t.PANEL_ROWS + t.PANEL_ROWS - 1 - cell % t.PANEL_ROWS"),
    ("legal_use", "masks.put_bits(game.legal, actions.HR_ADMINISTRATION, actions.ALL_REGIONS)",
     "masks.put_bits(game.legal, actions.HR_ADMINISTRATION, cities.regions_of(game, seat))"),
    ("_begin_halves", "company.use(game, seat, code)", "company.use_on_mission(game, seat, code, region)"),
    ("apply_halves", "others = game.projects - number", "others, number = number, game.projects - number"),
    ("legal_secret", "bit(t.NUM_DONATIONS) - 1", "game.free_cells"),
    ("apply_secret", "game.secret[game.to_play] = cell",
     "game.secret[game.to_play] = cell\ngame.donations_made[game.to_play] += 1"),
    ("apply_turn", "game.waiting = 1", "game.waiting = 1\ngame.first_player = (seat + 1) % game.num_players"),
    # ---- scoring
    ("is_tile", "1 <= code <= t.NUM_TILES", "code >= 1"),
    ("_score_seat", "game.secret[seat] != state.NONE",
     "game.secret[seat] != state.NONE and game.donation[game.secret[seat]] & bit(seat) == 0"),
    ("_score_links", "t.LINK_VP[points, level] + extra > best", "best == 0"),
    ("_score_links", "points == most", "points >= most - 1"),
    ("_final_effects", "most, fewest = max(most, projects), min(fewest, projects)",
     "most, fewest = max(most, projects), fewest if projects == 0 else min(fewest, projects)"),
    ("_final_effects", "popcount(game.empty_spaces[seat])",
     "popcount(game.empty_spaces[seat] & ~game.inactive_at[seat])"),
    ("items_of", "donations.rule_of(game, game.secret[owner])", "int64(game.secret[owner])"),
    ("_achieved_by_new_rule", "number = max(number, _departments_added(game, seat, action))",
     "number = max(number, popcount(game.spaces_of_type[seat, action]))"),
    # ---- tables
    ("_pairs", "sorted(pairs, key=_kind_of_space)", "pairs"),
    ("tables", "max(abs(r - s), abs(c - d))", "min(abs(r - s), abs(c - d)) + abs(abs(r - s) - abs(c - d)) // 2"),
)  # fmt: skip

STEEL_DRIVER: tuple[Slip, ...] = (
    # ---- the round
    ("rounds.begin", "supply(game) // game.num_players", "(supply(game) + game.num_players - 1) // game.num_players"),
    ("rounds.begin", "game.cubes[seat] += cubes", "game.cubes[seat] = cubes"),
    ("rounds.end", "game.controller[company] = NONE",
     "game.controller[company] = NONE\ngame.company_cubes[company] = 0"),
    ("rounds.pay",
     "if game.controller[company] != NONE:\n    game.cash[game.controller[company]] += game.profit[company]",
     "if game.last_controller[company] != NONE:\n"
     "    game.cash[game.last_controller[company]] += game.profit[company]"),
    ("rounds.pay", "game.cash[game.controller[company]] += game.profit[company]",
     "for seat in range(game.num_players):\n"
     "    game.cash[seat] += game.shares[seat, company] * game.profit[company]"),
    # ---- auctions
    ("sell", "game.phase = OPEN", "game.phase = OPEN\ngame.marker = seat"),
    ("sell", "game.company_cubes[company] += game.bid", "pass"),
    ("proceed_open", "game.sold != ALL_COMPANIES and game.marker_passes < game.num_players",
     "game.sold != ALL_COMPANIES and game.marker_passes < game.num_players - (game.sold != 0)"),
    ("proceed_bid", "game.cubes[game.to_play] > game.bid", "game.cubes[game.to_play] > game.bid + 1"),
    ("apply_bid", "game.passed_bidders |= bit(game.to_play)", "pass"),
    # ---- building
    ("apply_build", "game.network[company] = bit(origin)", "pass"),
    ("can_build", "game.num_links[company] == t.LINKS", "game.num_links[company] > t.LINKS"),
    ("earnings", "game.network[company] & bit(t.ROUTE_TO[route])",
     "(game.network[0] | game.network[company]) & bit(t.ROUTE_TO[route])"),
    ("open_routes", "t.PAYABLE[int64(game.company_cubes[company]), word]",
     "t.PAYABLE[int64(game.cubes[game.to_play]), word]"),
    # ---- the transcontinental link
    ("look_for", "if game.transcontinental & bit(company):\n"
     "    game.profit[company] += t.BUILDER_BONUS if company == builder else t.OTHERS_BONUS",
     "if game.transcontinental & bit(company) and game.controller[company] >= 0:\n"
     "    game.profit[company] += t.BUILDER_BONUS if company == builder else t.OTHERS_BONUS"),
    ("look_for", "t.BUILDER_BONUS if company == builder else t.OTHERS_BONUS", "t.OTHERS_BONUS"),
    ("companies_of", "number <= fewest and is_there(game, companies)", "is_there(game, companies)"),
    ("companies_of", "number < fewest or links < shortest", "number < fewest"),
    ("companies_of", "found |= companies", "pass"),
    # ---- the final scoring phase
    ("final_controller", "seat = int64(game.last_controller[company])",
     "seat = left_of(game, int64(game.last_controller[company]))"),
    ("final_controller", "game.shares[seat, company] > most", "game.shares[seat, company] >= most"),
    ("cities_with_goods", "game.network[company] & game.goods_left", "game.goods_left"),
    ("value_of_sets", "game.goods[company, colour] > sets", "(game.goods[company, colour] > 0) * (sets == 0)"),
    ("score", "game.controller[company] == seat", "game.shares[seat, company] > 0"),
)  # fmt: skip

BY_HAND: dict[str, tuple[Slip, ...]] = {"carnegie": CARNEGIE, "steel_driver": STEEL_DRIVER}
