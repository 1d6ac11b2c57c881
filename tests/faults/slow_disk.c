/* Preloaded, it makes a disk slow: every write, rename and fsync waits 0 to 3 ms, so that a kill at a random instant often falls
 * into the middle of one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

static void wait_a_little(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct timespec pause = {0, (long)((unsigned long)now.tv_nsec * 2654435761UL % 3000000UL)};
  nanosleep(&pause, NULL);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  wait_a_little();
  /* In two halves, as a disk may do. */
  if (size < 2) return real(descriptor, bytes, size);
  ssize_t first = real(descriptor, bytes, size / 2);
  if (first < 0) return first;
  wait_a_little();
  ssize_t second = real(descriptor, (const char*)bytes + first, size - (size_t)first);
  return second < 0 ? first : first + second;
}

int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (!real) real = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  wait_a_little();
  return real(from, to);
}

int fsync(int descriptor) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_a_little();
  return real(descriptor);
}
