/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion of the word under the cursor, for shells. */
#ifndef COMPLETE_H
#define COMPLETE_H

int complete(int argc, char *argv[]);

#endif /* COMPLETE_H */
