/* Makes the n-th change of a file in one folder fail, or cuts the power there.

   Preloaded (LD_PRELOAD) by tests/soak/faults.py, which maps the same control file. In
   mode POWER every change is first recorded in the folder `undo`, until the file is
   flushed, so that faults.py can take the folder back to what a disk would hold. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OFF, ERROR, POWER };
enum { WRITE = 1, SYNC = 2, RENAME = 4 };
struct control {
  int64_t mode, kinds, count, at, error, stays, n_hits;
  char folder[512], undo[512];
};
static struct control *control;

__attribute__((constructor)) static void start(void) {
  const char *name = getenv("ISOGLOSS_FAULTS");
  int fd = name ? open(name, O_RDWR) : -1;
  if (fd < 0) return;
  void *map = mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map != MAP_FAILED) control = map;
  close(fd);
}

static int is_inside(const char *path) {
  size_t n = strlen(control->folder);
  return n && !strncmp(path, control->folder, n);
}

static int in_folder(int fd) {
  char link[64], path[PATH_MAX];
  if (!control || control->mode == OFF) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  return is_inside(path);
}

/* Counts an operation; returns 1 if it has to fail (errno is set). */
static int fails(int kind) {
  if (!(control->kinds & kind)) return 0;
  int64_t n = __sync_add_and_fetch(&control->count, 1);
  if (control->at == 0 || n < control->at) return 0;
  if (n > control->at && !control->stays) return 0;
  __sync_add_and_fetch(&control->n_hits, 1);
  if (control->mode == POWER) kill(0, SIGKILL);
  errno = (int)control->error;
  return 1;
}

static long raw_open(const char *path, int flags) {
  return syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

static void undo_name(int fd, char *name, size_t size) {
  struct stat s;
  fstat(fd, &s);
  snprintf(name, size, "%s/%llu", control->undo, (unsigned long long)s.st_ino);
}

/* Records the bytes that a change will replace: size of the file, offset, length. */
static void remember(int fd, off_t offset, size_t length) {
  char name[600], link[64], block[1 << 16];
  struct stat s;
  if (control->mode != POWER || fstat(fd, &s) || !S_ISREG(s.st_mode)) return;
  undo_name(fd, name, sizeof name);
  int log = (int)raw_open(name, O_WRONLY | O_CREAT | O_APPEND);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int in = (int)raw_open(link, O_RDONLY);
  if (offset < 0) offset = s.st_size;
  if (offset >= s.st_size) length = 0;
  else if ((off_t)length > s.st_size - offset) length = (size_t)(s.st_size - offset);
  int64_t head[3] = {s.st_size, offset, (int64_t)length};
  syscall(SYS_write, log, head, sizeof head);
  while (length) {
    size_t part = length < sizeof block ? length : sizeof block;
    long n = syscall(SYS_pread64, in, block, part, offset);
    if (n <= 0) abort();
    syscall(SYS_write, log, block, n);
    offset += n;
    length -= (size_t)n;
  }
  syscall(SYS_close, in);
  syscall(SYS_close, log);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t length) {
  if (!in_folder(fd)) return REAL(write)(fd, data, length);
  if (fails(WRITE)) {
    if (errno == ENOSPC && length > 1) REAL(write)(fd, data, length / 2), errno = ENOSPC;
    return -1;
  }
  int flags = fcntl(fd, F_GETFL);
  remember(fd, flags & O_APPEND ? -1 : lseek(fd, 0, SEEK_CUR), length);
  return REAL(write)(fd, data, length);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  if (!in_folder(fd)) return syscall(SYS_pwrite64, fd, data, length, offset);
  if (fails(WRITE)) return -1;
  remember(fd, offset, length);
  return syscall(SYS_pwrite64, fd, data, length, offset);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return pwrite64(fd, data, length, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
  if (!in_folder(fd)) return REAL(writev)(fd, parts, n);
  if (fails(WRITE)) return -1;
  size_t length = 0;
  for (int i = 0; i < n; i++) length += parts[i].iov_len;
  int flags = fcntl(fd, F_GETFL);
  remember(fd, flags & O_APPEND ? -1 : lseek(fd, 0, SEEK_CUR), length);
  return REAL(writev)(fd, parts, n);
}

int ftruncate64(int fd, off64_t size) {
  struct stat s;
  if (!in_folder(fd)) return (int)syscall(SYS_ftruncate, fd, size);
  if (fails(WRITE)) return -1;
  if (!fstat(fd, &s)) remember(fd, size, s.st_size > size ? (size_t)(s.st_size - size) : 0);
  return (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int sync_file(int fd, long number) {
  char name[600];
  if (!in_folder(fd)) return (int)syscall(number, fd);
  if (fails(SYNC)) return -1;
  int result = (int)syscall(number, fd);
  if (control->mode == POWER && !result) {
    undo_name(fd, name, sizeof name);
    syscall(SYS_unlinkat, AT_FDCWD, name, 0);
  }
  return result;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

/* The number of a file that is deleted can become the number of a new one. */
static void forget(int folder, const char *path) {
  char name[600];
  struct stat s;
  if (!control || control->mode != POWER) return;
  if (fstatat(folder, path, &s, AT_SYMLINK_NOFOLLOW)) return;
  snprintf(name, sizeof name, "%s/%llu", control->undo, (unsigned long long)s.st_ino);
  syscall(SYS_unlinkat, AT_FDCWD, name, 0);
}

int unlinkat(int folder, const char *path, int flags) {
  forget(folder, path);
  return (int)syscall(SYS_unlinkat, folder, path, flags);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int rename(const char *from, const char *to) {
  char path[PATH_MAX];
  forget(AT_FDCWD, to);
  if (control && control->mode != OFF && realpath(from, path) && is_inside(path))
    if (fails(RENAME)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
