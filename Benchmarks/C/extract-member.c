// Reads one member of an archive with libarchive alone and writes it to standard output: what extracting can at best cost.
//
//   extract-member ARCHIVE MEMBER
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fail(struct archive *reader, const char *what) {
  fprintf(stderr, "extract-member: %s: %s\n", what, archive_error_string(reader));
  return 1;
}

static int copy(struct archive *reader) {
  const void *block;
  size_t size;
  la_int64_t offset;
  int result;
  while ((result = archive_read_data_block(reader, &block, &size, &offset)) == ARCHIVE_OK) {
    const char *next = block;
    while (size > 0) {
      ssize_t written = write(STDOUT_FILENO, next, size);
      if (written < 0) return 1;
      next += written;
      size -= (size_t)written;
    }
  }
  return result == ARCHIVE_EOF ? 0 : fail(reader, "data");
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  struct archive *reader = archive_read_new();
  archive_read_support_format_zip_seekable(reader);
  archive_read_support_format_tar(reader);
  archive_read_support_filter_gzip(reader);
  if (archive_read_open_filename(reader, arguments[1], 1 << 20) != ARCHIVE_OK) return fail(reader, "open");
  struct archive_entry *entry;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK)
    if (strcmp(archive_entry_pathname(entry), arguments[2]) == 0) return copy(reader);
  return fail(reader, "no such member");
}
