// SPDX-License-Identifier: GPL-2.0
/*
 * Prints one structure of each kind, byte by byte. layout.rs makes the same
 * structures in Rust. No two fields of a structure have the same value.
 */
#include <stdio.h>
#include "onehop.h"

static void print(const char *name, const void *structure, size_t size)
{
	const unsigned char *byte = structure;

	printf("%s ", name);
	while (size--)
		printf("%02x", *byte++);
	printf("\n");
}

#define PRINT(name, type, ...) do {				\
	struct onehop_##type it = { __VA_ARGS__ };		\
								\
	print(name, &it, sizeof(it));				\
} while (0)

int main(void)
{
	PRINT("header", image, .abi = ONEHOP_ABI, .pools = 2, .ghosts = 3, .servers = 4,
	      .devices = 5, .older = 6, .overrides = 7, .rows = 512);
	PRINT("pool", pool, .name = "web", .mode = ONEHOP_MODE_BROADCAST,
	      .kind = ONEHOP_KIND_HASH, .policy = ONEHOP_POLICY_REJECT,
	      .prefix4 = 24, .prefix6 = 56, .shape = ONEHOP_SHAPE_IGMP, .rows = 4096, .tracked = 4097,
	      .seed = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	      .digest = 0x1122334455667788);
	PRINT("method", pool, .name = "web", .mode = ONEHOP_MODE_ROUTER,
	      .kind = ONEHOP_KIND_MOD, .policy = ONEHOP_POLICY_DROP,
	      .prefix4 = 24, .prefix6 = 56, .method = ONEHOP_METHOD_CHANCE);
	PRINT("older", older, .pool = 7, .flows = 8, .digest = 9, .remaining = 10, .moved = 11);
	PRINT("endless", older, .remaining = ~0ull);
	PRINT("table", pool, .name = "web", .mode = ONEHOP_MODE_PEER,
	      .kind = ONEHOP_KIND_TABLE, .policy = ONEHOP_POLICY_DROP,
	      .prefix4 = 24, .prefix6 = 56, .rows = 512, .seed = { 1 });
	PRINT("override4", override, .pool = 7, .server = 513, .family = 4, .bits = 24,
	      .address = { 203, 0, 113 });
	PRINT("override6", override, .pool = 7, .server = 513, .family = 6, .bits = 127,
	      .address = { 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4 });
	PRINT("ghost4", ghost, .pool = 7, .family = 4, .address = { 192, 0, 2, 80 });
	PRINT("ghost6", ghost, .pool = 7, .family = 6,
	      .address = { 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5 });
	PRINT("device", device, .name = "eth0.100", .ifindex = 8);
	PRINT("server", server, .name = "s1", .pool = 7, .id = 513, .weight = 258,
	      .admin = ONEHOP_ADMIN_DOWN, .flags = ONEHOP_SERVER_START_DOWN | ONEHOP_SERVER_LEAVING,
	      .health = ONEHOP_HEALTH_DOWN, .address = { 10, 1, 2, 3 },
	      .address6 = { 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6 },
	      .reach = ONEHOP_REACH_LOCAL, .reach6 = ONEHOP_REACH_LINK,
	      .ifindex = 9, .ifindex6 = 10, .drain_left = 14, .changed_at = 11, .packets = 12,
	      .bytes = 13, .actor = "watchd", .reason = "no answer");
	PRINT("info", info, .abi = ONEHOP_ABI, .enabled = 1, .generation = 21,
	      .digest = 22, .pools = 23, .ghosts = 24, .servers = 25, .counters = 26,
	      .devices = 27, .answer = 1, .version = "0.1.0");
	PRINT("apply", apply, .image = 31, .len = 32,
	      .flags = ONEHOP_DRY_RUN | ONEHOP_EXPECT | ONEHOP_NOW, .expected = 33,
	      .seconds = 37, .generation = 34, .digest = 35, .changed = 1, .moved = 36,
	      .actor = "root", .reason = "why", .message = "no");
	PRINT("answer", answer, .answer = 1, .changed = 1, .actor = "root",
	      .reason = "why", .message = "no");
	PRINT("dump", dump, .image = 41, .len = 42, .generation = 43, .digest = 44,
	      .message = "no");
	PRINT("set", set, .pool = "web", .server = "s1", .field = ONEHOP_FIELD_ADMIN,
	      .value = ONEHOP_ADMIN_DRAIN, .flags = ONEHOP_EXPECT, .expected = 51,
	      .seconds = ONEHOP_FOREVER,
	      .generation = 52, .digest = 53, .changed = 1, .moved = 54,
	      .actor = "root", .reason = "why", .message = "no");
	PRINT("health", set, .pool = "web", .server = "s1", .field = ONEHOP_FIELD_HEALTH,
	      .value = ONEHOP_HEALTH_DOWN);
	PRINT("extend", transition, .pool = "web", .verb = ONEHOP_VERB_EXTEND,
	      .flags = ONEHOP_EXPECT, .expected = 55, .seconds = 56, .generation = 57, .digest = 58,
	      .changed = 1, .moved = 59, .actor = "root", .reason = "why", .message = "no");
	PRINT("commit", transition, .pool = "web", .verb = ONEHOP_VERB_COMMIT);
	PRINT("abort", transition, .pool = "web", .verb = ONEHOP_VERB_ABORT);
	PRINT("lookup4", lookup, .pool = "web", .family = 4,
	      .client = { 198, 51, 100, 7 }, .generation = 61, .row = 62, .owner = 63,
	      .verdict = ONEHOP_VERDICT_DRAINING, .rule = ONEHOP_RULE_TABLE,
	      .runners_up = { 64, 65, ONEHOP_NO_SERVER, ONEHOP_NO_SERVER },
	      .older = { 66, ONEHOP_NO_SERVER, 67, ONEHOP_NO_SERVER, ONEHOP_NO_SERVER,
			 ONEHOP_NO_SERVER, 68 },
	      .oldest = 69, .message = "no");
	PRINT("lookup6", lookup, .pool = "web", .family = 6,
	      .client = { 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5 },
	      .owner = ONEHOP_NO_SERVER, .verdict = ONEHOP_VERDICT_NONE,
	      .rule = ONEHOP_RULE_OVERRIDE, .bits = 48, .runners_up = { 0, 1, 2, 3 },
	      .older = { 4, 5, 6, 7, 8, 9, 10 }, .oldest = ONEHOP_NO_SERVER);
	PRINT("stats", stats, .counters = 71, .count = 72);
	PRINT("reached", event, .time = 81, .generation = 82, .type = ONEHOP_EVENT_REACH,
	      .value = ONEHOP_REACH_LINK, .pool = "web", .server = "s1",
	      .actor = "kernel", .reason = "route");
	PRINT("applied", event, .type = ONEHOP_EVENT_APPLIED);
	PRINT("admin", event, .type = ONEHOP_EVENT_ADMIN, .value = ONEHOP_ADMIN_UP);
	PRINT("health_event", event, .type = ONEHOP_EVENT_HEALTH, .value = ONEHOP_HEALTH_DOWN);
	PRINT("lost", event, .type = ONEHOP_EVENT_LOST, .value = 70000);
	PRINT("answered", event, .type = ONEHOP_EVENT_ANSWER, .value = 1);
	PRINT("begun", event, .type = ONEHOP_EVENT_BEGUN, .value = 2, .pool = "web");
	PRINT("ending", event, .type = ONEHOP_EVENT_ENDING, .value = 300, .pool = "web");
	PRINT("retired", event, .type = ONEHOP_EVENT_RETIRED, .value = 1, .pool = "web");
	PRINT("track_full", event, .type = ONEHOP_EVENT_TRACK_FULL, .value = 65536, .pool = "web");
	PRINT("drained", event, .type = ONEHOP_EVENT_DRAINED, .pool = "web");
	return 0;
}
