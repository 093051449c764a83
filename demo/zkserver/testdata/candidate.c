/*
 * A candidate of ZooKeeper's leader election recipe, with the C client:
 *
 *	candidate ADDRESS PATH NAME TIMEOUT_MS
 *
 * The candidate prints "joined" when its znode exists, and "leads NAME" when it leads.
 * It resigns when its input ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zookeeper/zookeeper.h>

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int connected, deleted;

static void on_event(zhandle_t *zh, int type, int state, const char *path, void *ctx)
{
	pthread_mutex_lock(&mu);
	if (type == ZOO_SESSION_EVENT)
		connected = state == ZOO_CONNECTED_STATE;
	if (type == ZOO_DELETED_EVENT)
		deleted = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mu);
}

static void wait_for(int *flag)
{
	pthread_mutex_lock(&mu);
	while (!*flag)
		pthread_cond_wait(&changed, &mu);
	*flag = 0;
	pthread_mutex_unlock(&mu);
}

static void must(int code, const char *what)
{
	if (code == ZOK)
		return;
	printf("%s: %s\n", what, zerror(code));
	exit(1);
}

int main(int argc, char **argv)
{
	char own[512], before[512], prefix[512];
	struct String_vector names;
	struct Stat st;
	int code, i;

	if (argc != 5)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
	zhandle_t *zh = zookeeper_init(argv[1], on_event, atoi(argv[4]), NULL, NULL, 0);
	if (zh == NULL)
		return 3;
	wait_for(&connected);
	code = zoo_create(zh, argv[2], NULL, -1, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0);
	if (code != ZNODEEXISTS)
		must(code, "create the election");
	snprintf(prefix, sizeof prefix, "%s/n_", argv[2]);
	must(zoo_create(zh, prefix, argv[3], strlen(argv[3]), &ZOO_OPEN_ACL_UNSAFE,
			ZOO_EPHEMERAL | ZOO_SEQUENCE, own, sizeof own), "create the candidate");
	printf("joined\n");
	for (;;) {
		before[0] = 0;
		must(zoo_get_children(zh, argv[2], 0, &names), "read the queue");
		for (i = 0; i < names.count; i++) {
			char path[512];
			snprintf(path, sizeof path, "%s/%s", argv[2], names.data[i]);
			if (strcmp(path, own) < 0 && strcmp(path, before) > 0)
				strcpy(before, path);
		}
		deallocate_String_vector(&names);
		if (!before[0])
			break;
		code = zoo_wexists(zh, before, on_event, NULL, &st);
		if (code == ZNONODE)
			continue;
		must(code, "watch the predecessor");
		wait_for(&deleted);
	}
	printf("leads %s\n", argv[3]);
	while (getchar() != EOF)
		;
	must(zookeeper_close(zh), "close");
	return 0;
}
