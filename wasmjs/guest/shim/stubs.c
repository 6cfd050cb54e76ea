/* wasi-libc reaches for file descriptors when it closes stdio. There are none: with these the module imports no WASI. */
enum { EBADF_WASI = 8 };

unsigned short __wasi_fd_write(int fd, const void *iov, unsigned long n, unsigned long *written) { return EBADF_WASI; }
unsigned short __wasi_fd_seek(int fd, long long offset, unsigned char whence, unsigned long long *at) { return EBADF_WASI; }
unsigned short __wasi_fd_close(int fd) { return EBADF_WASI; }
unsigned short __wasi_fd_fdstat_get(int fd, void *stat) { return EBADF_WASI; }
