/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * onehop: the control interface, /dev/onehop. This header is its specification,
 * with onehop_image.h, the part on what the calls read and write.
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

#include "onehop_image.h"

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
#define ONEHOP_NOW		4U	/* without a transition: older functions of the pools that change end */

/*
 * APPLY: one atomic change to the image. Health is untouched, except that a
 * new or re-addressed server starts up, or down where its flag says so. An
 * image equal to what stands is a success that leaves the generation alone.
 *   ENOENT        an override to an id that no server of its pool has
 *   E2BIG         len is over ONEHOP_MAX_IMAGE, or too many pools, ghosts, servers, devices, overrides
 *   EMSGSIZE      len is not what the image's numbers say, or its rows not what the pools' say
 *   EPROTO        abi is not ONEHOP_ABI
 *   EBADMSG       a name, reason or actor with a forbidden character
 *   EDESTADDRREQ  a server without an address that its pool's ghosts need
 *   ENODEV        a shape that needs devices, and none is named
 *   ERANGE        id, weight, rows, prefix, policy, pool index or seconds out of range
 *   EEXIST        a name, an id or the prefix of an override that stands twice
 *   EADDRINUSE    an address that stands twice, or is both ghost and server
 *   EADDRNOTAVAIL an address no host can have (0/8, 127/8, ::1, multicast, link-local v6, ...)
 *   EAFNOSUPPORT  a ghost whose family is neither 4 nor 6
 *   ESTALE        ONEHOP_EXPECT and the generation has moved
 *   EBUSY         a pool has ONEHOP_MAX_FUNCTIONS functions, or an id is that of a server that
 *                 is leaving: wait, or COMMIT
 */
struct onehop_apply {
	__u64 image;			/* [in] pointer */
	__u32 len;			/* [in] bytes */
	__u32 flags;			/* [in] ONEHOP_DRY_RUN, ONEHOP_EXPECT, ONEHOP_NOW */
	__u64 expected;			/* [in] generation, with ONEHOP_EXPECT; else 0 */
	__u32 seconds;			/* [in] that connections stay where they began; 0: net.onehop.transition_seconds */
	__u32 pad;
	__u64 generation;		/* [out] after the change */
	__u64 digest;			/* [out] after the change */
	__u32 changed;			/* [out] 0: was so already */
	__u32 moved;			/* [out] clients with another owner, parts per million */
	__u8  actor[ONEHOP_NAME_LEN];	/* [in] shown with the change; may be empty */
	__u8  reason[ONEHOP_REASON_LEN];/* [in] may be empty */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

/*
 * DUMP: the image as it stands, its overrides in the order of pool, family,
 * address and bits.
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
 * SERVER: change the admin state or the health of one server. What makes it down
 * takes effect at once, in all functions; anything else begins a transition.
 * Admin drain with `seconds` set ends the server's connections after that time.
 * A server that is leaving can have its health set down, and nothing else.
 *   ENOENT  no such pool or server
 *   ESTALE  ONEHOP_EXPECT and the generation has moved
 *   ERANGE  seconds is over ONEHOP_MAX_SECONDS and not ONEHOP_FOREVER
 *   EBADMSG, EBUSY as for APPLY
 */
struct onehop_set {
	__u8  pool[ONEHOP_NAME_LEN];	/* [in] */
	__u8  server[ONEHOP_NAME_LEN];	/* [in] */
	__u8  field;			/* [in] enum onehop_field */
	__u8  value;			/* [in] */
	__u8  pad[2];
	__u32 flags;			/* [in] as for APPLY */
	__u64 expected;			/* [in] */
	__u32 seconds;			/* [in] as for APPLY */
	__u32 pad2;
	__u64 generation;		/* [out] after the change */
	__u64 digest;			/* [out] after the change */
	__u32 changed;			/* [out] 0: was so already */
	__u32 moved;			/* [out] parts per million of the pool's clients */
	__u8  actor[ONEHOP_NAME_LEN];	/* [in] */
	__u8  reason[ONEHOP_REASON_LEN];/* [in] */
	__u8  message[ONEHOP_MESSAGE_LEN];	/* [out] */
};

enum onehop_verb {
	ONEHOP_VERB_COMMIT = 1,		/* retire all functions but the newest, now */
	ONEHOP_VERB_ABORT = 2,		/* make the oldest function the newest one again, in a transition of its own */
	ONEHOP_VERB_EXTEND = 3,		/* no function is retired within `seconds` from now */
};

/*
 * TRANSITION: what becomes of the older functions of a pool. Without any, all
 * three succeed and change nothing. ABORT wants kind, seed, rows, prefixes, table,
 * overrides and servers (with weight and admin state) as they were; health stays
 * as it is.
 *   ENOENT  no such pool
 *   ERANGE  seconds is 0 or out of range with EXTEND, not 0 otherwise
 *   ESTALE, EBADMSG, EBUSY as for APPLY; ABORT also what APPLY says of an image that is not valid
 */
struct onehop_transition {
	__u8  pool[ONEHOP_NAME_LEN];	/* [in] */
	__u8  verb;			/* [in] enum onehop_verb */
	__u8  pad[3];
	__u32 flags;			/* [in] ONEHOP_EXPECT */
	__u64 expected;			/* [in] */
	__u32 seconds;			/* [in] EXTEND: 1..ONEHOP_MAX_SECONDS or ONEHOP_FOREVER */
	__u32 pad2;
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

/* What named the owner. */
enum onehop_rule {
	ONEHOP_RULE_MOD = 1,		/* kind mod */
	ONEHOP_RULE_HASH = 2,		/* kinds hash and table: the ranking of the servers in the client's row */
	ONEHOP_RULE_TABLE = 3,		/* kind table: the table's owner of the client's row */
	ONEHOP_RULE_OVERRIDE = 4,
};

/*
 * LOOKUP: the owner of a client, by the functions the packets meet: the newest,
 * to which new connections go, and the older ones.
 *   ENOENT  no such pool
 */
struct onehop_lookup {
	__u8  pool[ONEHOP_NAME_LEN];	/* [in] */
	__u8  family;			/* [in] of the client: 4 or 6 */
	__u8  bits;			/* [out] rule override: of its prefix; else 0 */
	__u8  pad[6];
	__u8  client[16];		/* [in] family 4: first four bytes; the rest zero */
	__u64 generation;		/* [out] */
	__u32 row;			/* [out] rules hash and table: the client's row; else 0 */
	__u16 owner;			/* [out] server id, or ONEHOP_NO_SERVER */
	__u8  verdict;			/* [out] enum onehop_verdict */
	__u8  rule;			/* [out] enum onehop_rule; where nobody lives, that of the pool's kind */
	__u16 runners_up[ONEHOP_RUNNERS_UP]; /* [out] who would take over, in order; ONEHOP_NO_SERVER behind the last */
	__u16 older[ONEHOP_MAX_FUNCTIONS - 1];	/* [out] live owners by older functions that differ, the newer first; as above */
	__u16 oldest;			/* [out] who gets what is no TCP; ONEHOP_NO_SERVER: nobody */
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
	ONEHOP_DROP_UNCLAIMED,		/* a connection that moves, and no server has a socket for it */
	ONEHOP_DROP_NO_ROUTE,		/* the slow path found no route */
	ONEHOP_DROP_NO_MEMORY,
	ONEHOP_SLOW,			/* of HANDED: by the slow path */
	ONEHOP_DRAINING,		/* of HANDED and LOCAL: owner was draining, as nobody was up */
	ONEHOP_ANSWERED,		/* ARP and ND requests for a ghost that the module answered */
	ONEHOP_GUARDED,			/* ARP and ND messages stopped or altered, as they tie a ghost to this host */
	ONEHOP_NEWEST,			/* of HANDED and LOCAL: clients that move, by the newest function */
	ONEHOP_OLDER,			/* of HANDED and LOCAL: clients that move, by an older function */
	ONEHOP_PASSED,			/* of OLDER: passed on to an older owner for want of a socket here */
	ONEHOP_FRAGMENTS,		/* of OLDER: fragments without ports, to the oldest owner */
	ONEHOP_UNTRACKED,		/* of OLDER: a connection that method track had no room to note */
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
	ONEHOP_EVENT_BEGUN = 7,		/* a transition; value: functions of the pool now; server is empty, as below */
	ONEHOP_EVENT_ENDING = 8,	/* a function is retired within 10 s; value: its flows, as in DUMP */
	ONEHOP_EVENT_RETIRED = 9,	/* value: functions of the pool now */
	ONEHOP_EVENT_TRACK_FULL = 10,	/* value: connections noted; more go to the oldest owner */
	ONEHOP_EVENT_DRAINED = 11,	/* a timed drain is over; value: 0 */
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
#define ONEHOP_IOC_TRANSITION	_IOWR(ONEHOP_IOC_MAGIC, 8, struct onehop_transition)

#endif /* _UAPI_ONEHOP_H */
