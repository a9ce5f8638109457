/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * onehop: the image, a namespace's whole desired state, and its limits. Part of
 * the specification in onehop.h, which says what holds for all structures.
 */
#ifndef _UAPI_ONEHOP_IMAGE_H
#define _UAPI_ONEHOP_IMAGE_H

#include <linux/types.h>

#define ONEHOP_ABI		4U

#define ONEHOP_NAME_LEN		32U	/* 1..31 of A-Z a-z 0-9 . _ - and NULs */
#define ONEHOP_REASON_LEN	64U	/* up to 63 bytes of printable UTF-8, and NULs; actors up to 31 */
#define ONEHOP_MESSAGE_LEN	256U
#define ONEHOP_DEVICE_LEN	16U	/* a device name as the kernel has it, 1..15 bytes, and NULs */

#define ONEHOP_MAX_POOLS	256U
#define ONEHOP_MAX_GHOSTS	256U	/* in a namespace */
#define ONEHOP_MAX_DEVICES	16U	/* in a namespace */
#define ONEHOP_MAX_OVERRIDES	4096U	/* in a namespace */
#define ONEHOP_MAX_SERVERS	1024U	/* in a pool; ids are 0..1023 */
#define ONEHOP_MAX_WEIGHT	1000U
#define ONEHOP_MIN_ROWS		256U	/* rows are a power of two */
#define ONEHOP_MAX_ROWS		65536U
#define ONEHOP_MAX_IMAGE	(16U << 20)	/* bytes */
#define ONEHOP_NO_SERVER	0xffffU
#define ONEHOP_MAX_FUNCTIONS	8U	/* of a pool at a time: the newest and those before it */
#define ONEHOP_MAX_SECONDS	604800U	/* that a transition may be set to last */
#define ONEHOP_FOREVER		0xffffffffU	/* in place of seconds: until COMMIT */

/* Who loads the module, and what it does with a packet. */
enum onehop_mode {
	ONEHOP_MODE_ROUTER = 1,		/* a dispatcher sends it on to its owner */
	ONEHOP_MODE_BROADCAST = 2,	/* every server sees it, its owner keeps it */
	ONEHOP_MODE_PEER = 3,		/* any server gets it, keeps it or sends it on to its owner */
};

/* Mode broadcast: how a frame comes to all servers. */
enum onehop_shape {
	ONEHOP_SHAPE_BROADCAST = 1,	/* the paper's: as an Ethernet broadcast; no server answers ARP or ND */
	ONEHOP_SHAPE_MULTICAST = 2,	/* servers answer ARP and ND with a group address 03:bf:... */
	ONEHOP_SHAPE_IGMP = 3,		/* ... with 01:00:5e:7f:.. or 33:33:..:..:..:.., and join its group */
};

/*
 * Mode router: how connections are told that began under a function before the
 * newest. The other modes have one way each: the servers' own sockets.
 */
enum onehop_method {
	ONEHOP_METHOD_TRACK = 1,	/* the dispatcher notes those that begin in a transition */
	ONEHOP_METHOD_CHANCE = 2,	/* servers with the module pass on what they have no socket for */
};

enum onehop_kind {
	ONEHOP_KIND_MOD = 1,	/* the paper's; weights must be 1 */
	ONEHOP_KIND_HASH = 2,	/* a keyed hash to a row, the servers ranked by weight in each */
	ONEHOP_KIND_TABLE = 3,	/* the same; a row's owner by the image's table comes first, while it lives */
};

/* What happens to a packet when no server of its pool lives. */
enum onehop_policy {
	ONEHOP_POLICY_DROP = 1,
	ONEHOP_POLICY_REJECT = 2,	/* drop, and ICMP host unreachable; not with mode broadcast */
};

enum onehop_admin {
	ONEHOP_ADMIN_UP = 1,
	ONEHOP_ADMIN_DRAIN = 2,
	ONEHOP_ADMIN_DOWN = 3,
};

enum onehop_health {
	ONEHOP_HEALTH_UP = 1,
	ONEHOP_HEALTH_DOWN = 2,
};

/* How the module reaches a server. */
enum onehop_reach {
	ONEHOP_REACH_UNREACHABLE = 1,	/* no route, or not on link: packets are dropped */
	ONEHOP_REACH_LINK = 2,
	ONEHOP_REACH_LOCAL = 3,		/* this host itself */
};

/*
 * The image: a namespace's whole desired state, as APPLY reads and DUMP writes
 * it. The header is followed by pools, ghosts, servers, devices, overrides,
 * tables and older functions, in this order, with nothing between or behind
 * them.
 *
 * The tables are those of the pools of kind table, in the order of the pools:
 * for each of the pool's rows a __u16, the id of its owner, or ONEHOP_NO_SERVER.
 * An id that no server of the pool has is permitted: it counts as one that does
 * not live, so that a server can be removed and come back to what it had.
 */
struct onehop_image {
	__u32 abi;		/* ONEHOP_ABI */
	__u32 pools;		/* number of struct onehop_pool */
	__u32 ghosts;		/* number of struct onehop_ghost */
	__u32 servers;		/* number of struct onehop_server */
	__u32 devices;		/* number of struct onehop_device */
	__u32 older;		/* [out] number of struct onehop_older */
	__u32 overrides;	/* number of struct onehop_override */
	__u32 rows;		/* number of __u16 of all tables together */
};

struct onehop_pool {
	__u8  name[ONEHOP_NAME_LEN];	/* unique */
	__u8  mode;			/* enum onehop_mode */
	__u8  kind;			/* enum onehop_kind */
	__u8  policy;			/* enum onehop_policy */
	__u8  prefix4;			/* bits of a client address that count: 1..32 */
	__u8  prefix6;			/* 1..128 */
	__u8  shape;			/* enum onehop_shape with mode broadcast; else 0 */
	__u8  method;			/* enum onehop_method with mode router; else 0 */
	__u8  pad;
	__u32 rows;			/* kinds hash and table: 256..65536; kind mod: 0 */
	__u32 tracked;			/* [out] connections noted by method track */
	__u8  seed[16];			/* kinds hash and table; kind mod: zero */
	__u64 digest;			/* [out] of the newest function */
};

struct onehop_ghost {
	__u32 pool;			/* index into the image's pools */
	__u8  family;			/* 4 or 6 */
	__u8  pad[3];
	__u8  address[16];		/* family 4: first four bytes; the rest zero */
};

#define ONEHOP_SERVER_START_DOWN 1U	/* a new or re-addressed server begins with health down */
#define ONEHOP_SERVER_LEAVING	2U	/* [out] not wanted any more: serves connections of older functions */

/*
 * A server has at least one address. With modes router and peer it has one of
 * each family that its pool has ghosts of. The server whose address this host
 * has is this host.
 */
struct onehop_server {
	__u8  name[ONEHOP_NAME_LEN];	/* unique in its pool */
	__u32 pool;			/* index into the image's pools */
	__u16 id;			/* unique in its pool */
	__u16 weight;			/* 1..1000 */
	__u8  admin;			/* enum onehop_admin */
	__u8  flags;			/* [in] ONEHOP_SERVER_START_DOWN; DUMP writes it back */
	__u8  health;			/* [out] enum onehop_health */
	__u8  pad;
	__u8  address[4];		/* primary IPv4 address, unique in its pool; zero: none */
	__u8  address6[16];		/* primary IPv6 address, unique in its pool; zero: none */
	__u8  reach;			/* [out] enum onehop_reach of address; 0: none */
	__u8  reach6;			/* [out] of address6 */
	__u8  pad2[2];
	__u32 ifindex;			/* [out] reach LINK: the device; else 0 */
	__u32 ifindex6;			/* [out] reach6 LINK: the device; else 0 */
	__u32 drain_left;		/* [out] seconds until a timed drain ends its connections; 0: none */
	__u64 changed_at;		/* [out] last change of admin or health, ns since 1970; 0: never */
	__u64 packets;			/* [out] handed over or kept since the server was added */
	__u64 bytes;			/* [out] likewise, IP length */
	__u8  actor[ONEHOP_NAME_LEN];	/* [out] who made the last change */
	__u8  reason[ONEHOP_REASON_LEN];/* [out] and why */
};

/*
 * A device on whose link the ghosts are: mode broadcast drops at its ingress
 * what other servers own; ARP and ND are answered and announced on it. One
 * that is not there is waited for.
 */
struct onehop_device {
	__u8  name[ONEHOP_DEVICE_LEN];	/* unique */
	__u32 ifindex;			/* [out] 0: not there */
	__u32 pad;
};

/*
 * Clients whose owner is this server whatever the pool's kind says, while it
 * lives; else the kind decides. Of several that a client matches, the one with
 * the most bits counts. It is the client's whole address that is matched:
 * prefix4 and prefix6 of the pool have no say. No IPv6 prefix means IPv4
 * clients, and none may lie within ::ffff:0:0/96 (EADDRNOTAVAIL).
 */
struct onehop_override {
	__u32 pool;			/* index into the image's pools */
	__u16 server;			/* the id of a server of the pool */
	__u8  family;			/* 4 or 6 */
	__u8  bits;			/* 1..32 or 1..128; unique in the pool together with address */
	__u8  address[16];		/* family 4: first four bytes; zero behind its bits */
};

/*
 * A function before the newest one of a pool. Servers keep the connections that
 * began while it was the newest, until it is retired. DUMP writes them by pool,
 * from the newer to the older.
 */
struct onehop_older {
	__u32 pool;			/* [out] index into the image's pools */
	__u32 flows;			/* [out] estimate: TCP connections it still carries here, seen in the last 10 s */
	__u64 digest;			/* [out] */
	__u64 remaining;		/* [out] ms until it is retired; all ones: until COMMIT */
	__u32 moved;			/* [out] clients it gives another owner than the newest, parts per million */
	__u32 pad;
};

#endif /* _UAPI_ONEHOP_IMAGE_H */
