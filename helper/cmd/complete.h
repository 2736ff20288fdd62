/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a shell can offer for a word that is being typed. */
#ifndef COMPLETE_H
#define COMPLETE_H

int complete(int argc, char *argv[]);

#endif /* COMPLETE_H */
