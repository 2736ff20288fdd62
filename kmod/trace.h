/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: what becomes of config writes that do not land at once. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM instinct_vfio

#if !defined(_INSTINCT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _INSTINCT_TRACE_H

#include <linux/tracepoint.h>

#include "event.h"
#include "keeper.h"

DECLARE_EVENT_CLASS(config_write,
		    TP_PROTO(const char *bdf, const struct instinct_write *write),
		    TP_ARGS(bdf, write),
		    TP_STRUCT__entry(__array(char, bdf, INSTINCT_BDF_BYTES)
				     __field(u16, where)
				     __field(u8, size)
				     __field(u32, val)),
		    TP_fast_assign(strscpy(__entry->bdf, bdf,
					   INSTINCT_BDF_BYTES);
				   __entry->where = write->where;
				   __entry->size = write->size;
				   __entry->val = write->val;),
		    TP_printk("%s where=%#x size=%u val=%#x", __entry->bdf,
			      __entry->where, __entry->size, __entry->val)
);

DEFINE_EVENT(config_write, config_write_blocked,
	     TP_PROTO(const char *bdf, const struct instinct_write *write),
	     TP_ARGS(bdf, write)
);

DEFINE_EVENT(config_write, config_write_replayed,
	     TP_PROTO(const char *bdf, const struct instinct_write *write),
	     TP_ARGS(bdf, write)
);

DEFINE_EVENT(config_write, config_write_failed,
	     TP_PROTO(const char *bdf, const struct instinct_write *write),
	     TP_ARGS(bdf, write)
);

#endif /* _INSTINCT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
