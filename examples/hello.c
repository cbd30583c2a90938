/* SPDX-License-Identifier: Apache-2.0 */
/* Two groups, a task in each, and what each group has used. */
#include <stdio.h>

#include <mete/mete.h>

static void *work(void *rounds)
{
	for (volatile long i = 0; i < *(long *)rounds; i++)
		mete_checkpoint();
	return NULL;
}

int main(void)
{
	const char *names[] = {"web", "batch"};
	long rounds[] = {10000000, 20000000};
	mete_group groups[2];
	mete_task tasks[2];

	if (mete_start(NULL))
		return 1;
	for (int i = 0; i < 2; i++) {
		struct mete_task_attr attr = METE_TASK_ATTR_INIT;

		if (mete_group_create(&groups[i], METE_ROOT, names[i], NULL))
			return 1;
		attr.group = groups[i];
		if (mete_task_create(&tasks[i], &attr, work, &rounds[i]))
			return 1;
	}
	for (int i = 0; i < 2; i++) {
		struct mete_usage usage;

		mete_task_join(tasks[i], METE_FOREVER, NULL);
		mete_group_usage(groups[i], 0, &usage, sizeof(usage));
		printf("%s: %.3f ms\n", names[i], (double)usage.exec_ns / 1e6);
	}
	return mete_stop() != 0;
}
