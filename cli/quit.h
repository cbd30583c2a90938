/* SPDX-License-Identifier: Apache-2.0 */
/* kill -QUIT shows where the tasks are. */
#ifndef CLI_QUIT_H
#define CLI_QUIT_H

/* From here on SIGQUIT dumps to standard error and ends nothing.  Before any
 * other thread is made. */
void quit_dumps(void);

#endif
