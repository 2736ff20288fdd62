/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the commands; commands.c has the table of them. */
#ifndef CMD_H
#define CMD_H

int cmd_status(int argc, char *argv[]);
int cmd_explain(int argc, char *argv[]);
int cmd_bind(int argc, char *argv[]);
int cmd_unbind(int argc, char *argv[]);
int cmd_rollback(int argc, char *argv[]);
int cmd_apply(int argc, char *argv[]);
int cmd_check(int argc, char *argv[]);
int cmd_diff(int argc, char *argv[]);
int cmd_doctor(int argc, char *argv[]);
int cmd_isolation(int argc, char *argv[]);
int cmd_show_policy(int argc, char *argv[]);
int cmd_reset(int argc, char *argv[]);
int cmd_qualify(int argc, char *argv[]);
int cmd_release(int argc, char *argv[]);
int cmd_forgive(int argc, char *argv[]);
int cmd_forget(int argc, char *argv[]);
int cmd_sensors(int argc, char *argv[]);
int cmd_monitor(int argc, char *argv[]);
int cmd_push(int argc, char *argv[]);
int cmd_export(int argc, char *argv[]);
int cmd_dump(int argc, char *argv[]);
int cmd_topo_show(int argc, char *argv[]);
int cmd_topo_pairs(int argc, char *argv[]);
int cmd_topo_plan(int argc, char *argv[]);
int cmd_topo_xml(int argc, char *argv[]);
int cmd_topo_check(int argc, char *argv[]);
int cmd_version(int argc, char *argv[]);
int cmd_help(int argc, char *argv[]);

int cmd_run(int argc, char *argv[]);
struct look;

int cmd_look(struct look *look, int argc, char *argv[]);
int cmd_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* CMD_H */
