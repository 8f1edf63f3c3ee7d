/// The longer parts of the help.
enum HelpText {
  static let version = "0.1"

  static var discussion: String {
    """
    EXAMPLES:
      urlload https://example.org/                     write to standard output
      urlload -O https://example.org/a.zip             into a.zip, with a progress bar
      urlload -O --retry 5 https://example.org/big.iso go on where a broken connection left off
      urlload -o a -o b ftp://host/a file:///tmp/b     two at a time
      urlload -r 0-1023 ftp://host/big.bin             the first kilobyte
      urlload -d name=value https://host/form          send a form
      urlload -T photo.jpg -u me ftp://host/photos/    upload; the password is asked for
      urlload 'data:text/plain;base64,SGVsbG8K'        any scheme works the same

    A file has its name only when it is whole. A status of 400 or above is a failure: its body goes to standard \
    output, never into a file.

    EXIT CODES:
    \(ExitReason.table)
    """
  }
}
