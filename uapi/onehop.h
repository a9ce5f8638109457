/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * onehop: the control interface, /dev/onehop. This header is its specification.
 *
 * - Integers are in host byte order; addresses and seeds are bytes in network
 *   order. Every structure has the same layout for 32 and 64 bit callers.
 * - A command acts on the network namespace of the process that opened the
 *   device and needs CAP_NET_ADMIN in it at the time of the call.
 * - Fields marked [in] are read, [out] are written by the module. Padding and
 *   the [out] fields of a request must be zero: EINVAL otherwise.
 * - A call that fails changes nothing. Where the structure has a message, the
 *   module fills it with one sentence that names the field, the value and what
 *   was expected; NUL terminated, empty on success.
 *
 * Errors common to all commands:
 *   ENOTTY  unknown command, or a size that is not the structure's
 *   EPERM   CAP_NET_ADMIN is missing
 *   EFAULT  a pointer that cannot be read or written
 *   EINVAL  unknown flag, dirty padding, a value outside its enumeration
 *   ENOMEM  no memory; the old state stands
 *   EINTR   a signal came before the change was made
 */
#ifndef _UAPI_ONEHOP_H
#define _UAPI_ONEHOP_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ONEHOP_ABI		2U

#define ONEHOP_NAME_LEN		32U	/* 1..31 of A-Z a-z 0-9 . _ - and NULs */
#define ONEHOP_REASON_LEN	64U	/* up to 63 bytes of printable UTF-8, and NULs; actors up to 31 */
#define ONEHOP_MESSAGE_LEN	256U
#define ONEHOP_DEVICE_LEN	16U	/* a device name as the kernel has it, 1..15 bytes, and NULs */

#define ONEHOP_MAX_POOLS	256U
#define ONEHOP_MAX_GHOSTS	256U	/* in a namespace */
#define ONEHOP_MAX_DEVICES	16U	/* in a namespace */
#define ONEHOP_MAX_SERVERS	1024U	/* in a pool; ids are 0..1023 */
#define ONEHOP_MAX_WEIGHT	1000U
#define ONEHOP_MIN_ROWS		256U	/* rows are a power of two */
#define ONEHOP_MAX_ROWS		65536U
#define ONEHOP_MAX_IMAGE	(16U << 20)	/* bytes */
#define ONEHOP_NO_SERVER	0xffffU

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

enum onehop_kind {
	ONEHOP_KIND_MOD = 1,	/* the paper's; weights must be 1 */
	ONEHOP_KIND_HASH = 2,
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
 * it. The header is followed by pools, ghosts, servers and devices, in this
 * order, with nothing between or behind them.
 */
struct onehop_image {
	__u32 abi;		/* ONEHOP_ABI */
	__u32 pools;		/* number of struct onehop_pool */
	__u32 ghosts;		/* number of struct onehop_ghost */
	__u32 servers;		/* number of struct onehop_server */
	__u32 devices;		/* number of struct onehop_device */
	__u32 pad;
};

struct onehop_pool {
	__u8  name[ONEHOP_NAME_LEN];	/* unique */
	__u8  mode;			/* enum onehop_mode */
	__u8  kind;			/* enum onehop_kind */
	__u8  policy;			/* enum onehop_policy */
	__u8  prefix4;			/* bits of a client address that count: 1..32 */
	__u8  prefix6;			/* 1..128 */
	__u8  shape;			/* enum onehop_shape with mode broadcast; else 0 */
	__u8  pad[2];
	__u32 rows;			/* kind hash: 256..65536; kind mod: 0 */
	__u32 pad2;
	__u8  seed[16];			/* kind hash; kind mod: zero */
	__u64 digest;			/* [out] */
};

struct onehop_ghost {
	__u32 pool;			/* index into the image's pools */
	__u8  family;			/* 4 or 6 */
	__u8  pad[3];
	__u8  address[16];		/* family 4: first four bytes; the rest zero */
};

#define ONEHOP_SERVER_START_DOWN 1U	/* a new or re-addressed server begins with health down */

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
	__u8  flags;			/* [in] ONEHOP_SERVER_*; DUMP writes them back */
	__u8  health;			/* [out] enum onehop_health */
	__u8  pad;
	__u8  address[4];		/* primary IPv4 address, unique in its pool; zero: none */
	__u8  address6[16];		/* primary IPv6 address, unique in its pool; zero: none */
	__u8  reach;			/* [out] enum onehop_reach of address; 0: none */
	__u8  reach6;			/* [out] of address6 */
	__u8  pad2[2];
	__u32 ifindex;			/* [out] reach LINK: the device; else 0 */
	__u32 ifindex6;			/* [out] reach6 LINK: the device; else 0 */
	__u32 pad3;
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

struct onehop_info {
	__u32 abi;			/* [out] */
	__u32 enabled;			/* [out] net.onehop.enabled */
	__u64 generation;		/* [out] counts applied changes */
	__u64 digest;			/* [out] equal digest = equal decisions */
	__u32 pools;			/* [out] */
	__u32 ghosts;			/* [out] */
	__u32 servers;			/* [out] */
	__u32 counters;			/* [out] ONEHOP_COUNTERS of the module */
	__u32 devices;			/* [out] */
	__u32 answer;			/* [out] as ANSWER has set it */
	__u8  version[ONEHOP_NAME_LEN];	/* [out] of the module */
};

#define ONEHOP_DRY_RUN		1U	/* validate and report, change nothing */
#define ONEHOP_EXPECT		2U	/* only if the generation is still `expected` */

/*
 * APPLY: one atomic change to the image. Health is untouched, except that a
 * new or re-addressed server starts up, or down where its flag says so. An
 * image equal to what stands is a success that leaves the generation alone.
 *   E2BIG         len is over ONEHOP_MAX_IMAGE, or too many pools, ghosts, servers, devices
 *   EMSGSIZE      len is not what the image's numbers say
 *   EPROTO        abi is not ONEHOP_ABI
 *   EBADMSG       a name, reason or actor with a forbidden character
 *   EDESTADDRREQ  a server without an address that its pool's ghosts need
 *   ENODEV        a shape that needs devices, and none is named
 *   ERANGE        id, weight, rows, prefix, policy or pool index out of range
 *   EEXIST        a name or an id that stands twice
 *   EADDRINUSE    an address that stands twice, or is both ghost and server
 *   EADDRNOTAVAIL an address no host can have (0/8, 127/8, ::1, multicast, link-local v6, ...)
 *   EAFNOSUPPORT  a ghost whose family is neither 4 nor 6
 *   ESTALE        ONEHOP_EXPECT and the generation has moved
 */
struct onehop_apply {
	__u64 image;			/* [in] pointer */
	__u32 len;			/* [in] bytes */
	__u32 flags;			/* [in] ONEHOP_DRY_RUN, ONEHOP_EXPECT */
	__u64 expected;			/* [in] generation, with ONEHOP_EXPECT; else 0 */
	__u64 generation;		/* [out] after the change */
	__u64 digest;			/* [out] after the change */
	__u32 changed;			/* [out] 0: was so already */
	__u32 moved;			/* [out] clients with another owner, parts per million */
	__u8  actor[ONEHOP_NAME_LEN];	/* [in] shown with the change; may be empty */
	__u8  reason[ONEHOP_REASON_LEN];/* [in] may be empty */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

/*
 * DUMP: the image as it stands.
 *   ENOSPC  len is too small; len now holds the bytes needed
 */
struct onehop_dump {
	__u64 image;			/* [in] pointer; may be 0 with len 0 */
	__u32 len;			/* [in] bytes at image; [out] bytes used or needed */
	__u32 pad;
	__u64 generation;		/* [out] */
	__u64 digest;			/* [out] */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

enum onehop_field {
	ONEHOP_FIELD_ADMIN = 1,		/* value: enum onehop_admin */
	ONEHOP_FIELD_HEALTH = 2,	/* value: enum onehop_health */
};

/*
 * SERVER: change the admin state or the health of one server.
 *   ENOENT  no such pool or server
 *   ESTALE  ONEHOP_EXPECT and the generation has moved
 *   EBADMSG as for APPLY
 */
struct onehop_set {
	__u8  pool[ONEHOP_NAME_LEN];	/* [in] */
	__u8  server[ONEHOP_NAME_LEN];	/* [in] */
	__u8  field;			/* [in] enum onehop_field */
	__u8  value;			/* [in] */
	__u8  pad[2];
	__u32 flags;			/* [in] ONEHOP_EXPECT */
	__u64 expected;			/* [in] */
	__u64 generation;		/* [out] after the change */
	__u64 digest;			/* [out] after the change */
	__u32 changed;			/* [out] 0: was so already */
	__u32 moved;			/* [out] parts per million of the pool's clients */
	__u8  actor[ONEHOP_NAME_LEN];	/* [in] */
	__u8  reason[ONEHOP_REASON_LEN];/* [in] */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

#define ONEHOP_RUNNERS_UP	4U

enum onehop_verdict {
	ONEHOP_VERDICT_NONE = 1,	/* nobody lives: the pool's policy */
	ONEHOP_VERDICT_DRAINING = 2,	/* nobody is up: a draining server serves */
	ONEHOP_VERDICT_UP = 3,
};

/*
 * LOOKUP: the owner of a client, by the function the packets meet.
 *   ENOENT  no such pool
 */
struct onehop_lookup {
	__u8  pool[ONEHOP_NAME_LEN];	/* [in] */
	__u8  family;			/* [in] of the client: 4 or 6 */
	__u8  pad[7];
	__u8  client[16];		/* [in] family 4: first four bytes; the rest zero */
	__u64 generation;		/* [out] */
	__u32 row;			/* [out] kind hash: the client's row */
	__u16 owner;			/* [out] server id, or ONEHOP_NO_SERVER */
	__u8  verdict;			/* [out] enum onehop_verdict */
	__u8  kind;			/* [out] enum onehop_kind: the rule that decided */
	__u16 runners_up[ONEHOP_RUNNERS_UP]; /* [out] who would take over, in order; ONEHOP_NO_SERVER behind the last */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

/*
 * Counters of a namespace, in packets unless said otherwise, since the module
 * was loaded. At rest, SEEN = HANDED + LOCAL + all DROP_*.
 */
enum onehop_counter {
	ONEHOP_SEEN = 0,		/* came for a ghost */
	ONEHOP_HANDED,			/* sent on to a server */
	ONEHOP_LOCAL,			/* left to this host's own stack */
	ONEHOP_DROP_DISABLED,		/* net.onehop.enabled is 0 */
	ONEHOP_DROP_NO_SERVER,		/* nobody lives */
	ONEHOP_DROP_NOT_OWNER,		/* mode broadcast: another server keeps it */
	ONEHOP_DROP_UNREACHABLE,	/* the owner is not on link */
	ONEHOP_DROP_NOT_LOCAL,		/* the owner is this host, which does not have the ghost */
	ONEHOP_DROP_NOT_DISPATCHED,	/* a packet onehop leaves alone, for a ghost this host does not have */
	ONEHOP_DROP_MALFORMED,		/* header or quote cut short */
	ONEHOP_DROP_TTL,		/* time to live used up */
	ONEHOP_DROP_TOO_BIG,		/* over the MTU and not to be fragmented */
	ONEHOP_DROP_LRO,		/* merged by LRO: cannot be sent on whole */
	ONEHOP_DROP_BOUNCED,		/* the owner is the host that sent the frame (split horizon) */
	ONEHOP_DROP_MISDIRECTED,	/* mode peer: a peer takes this host for the owner; another function there */
	ONEHOP_DROP_NO_ROUTE,		/* the slow path found no route */
	ONEHOP_DROP_NO_MEMORY,
	ONEHOP_SLOW,			/* of HANDED: by the slow path */
	ONEHOP_DRAINING,		/* of HANDED and LOCAL: owner was draining, as nobody was up */
	ONEHOP_ANSWERED,		/* ARP and ND requests for a ghost that the module answered */
	ONEHOP_GUARDED,			/* ARP and ND messages stopped or altered, as they tie a ghost to this host */
	ONEHOP_COUNTERS			/* their number */
};

/* STATS: copies min(count, ONEHOP_COUNTERS) counters and sets count to ONEHOP_COUNTERS. */
struct onehop_stats {
	__u64 counters;			/* [in] pointer to __u64[count] */
	__u32 count;			/* [in], [out] */
	__u32 pad;
};

/*
 * ANSWER: whether this host answers ARP and ND for the ghosts of pools with mode
 * router and peer, on the image's devices, with its own link address. Turned on,
 * also when it was on already, it announces them there, five times in four
 * seconds. Off when the module is loaded; APPLY leaves it alone.
 *   ENODEV   the image names no device
 *   EBADMSG  as for APPLY
 */
struct onehop_answer {
	__u32 answer;			/* [in] 0 or 1 */
	__u32 changed;			/* [out] 0: was so already */
	__u8  actor[ONEHOP_NAME_LEN];	/* [in] */
	__u8  reason[ONEHOP_REASON_LEN];/* [in] */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

enum onehop_event_type {
	ONEHOP_EVENT_APPLIED = 1,	/* pool and server are empty */
	ONEHOP_EVENT_ADMIN = 2,		/* value: enum onehop_admin */
	ONEHOP_EVENT_HEALTH = 3,	/* value: enum onehop_health */
	ONEHOP_EVENT_REACH = 4,		/* value: enum onehop_reach */
	ONEHOP_EVENT_LOST = 5,		/* value: events this reader was too slow for */
	ONEHOP_EVENT_ANSWER = 6,	/* value: 0 or 1; pool and server are empty */
};

/*
 * read() returns whole events, the oldest this reader has not had first; it
 * blocks until there is one and can be interrupted by a signal. A reader gets
 * what happens after its open().
 *   EAGAIN  there is none, and the file is O_NONBLOCK
 *   EINTR   a signal came first
 *   EINVAL  the buffer is smaller than one event
 */
struct onehop_event {
	__u64 time;			/* ns since 1970 */
	__u64 generation;		/* after the change */
	__u32 type;			/* enum onehop_event_type */
	__u32 value;
	__u8  pool[ONEHOP_NAME_LEN];
	__u8  server[ONEHOP_NAME_LEN];
	__u8  actor[ONEHOP_NAME_LEN];
	__u8  reason[ONEHOP_REASON_LEN];
};

#define ONEHOP_IOC_MAGIC	0xB1
#define ONEHOP_IOC_INFO		_IOWR(ONEHOP_IOC_MAGIC, 1, struct onehop_info)
#define ONEHOP_IOC_APPLY	_IOWR(ONEHOP_IOC_MAGIC, 2, struct onehop_apply)
#define ONEHOP_IOC_DUMP		_IOWR(ONEHOP_IOC_MAGIC, 3, struct onehop_dump)
#define ONEHOP_IOC_SERVER	_IOWR(ONEHOP_IOC_MAGIC, 4, struct onehop_set)
#define ONEHOP_IOC_LOOKUP	_IOWR(ONEHOP_IOC_MAGIC, 5, struct onehop_lookup)
#define ONEHOP_IOC_STATS	_IOWR(ONEHOP_IOC_MAGIC, 6, struct onehop_stats)
#define ONEHOP_IOC_ANSWER	_IOWR(ONEHOP_IOC_MAGIC, 7, struct onehop_answer)

#endif /* _UAPI_ONEHOP_H */
