internal import URLLoadingBase

/// The longer parts of the help.
enum HelpText {
  /// What the parser has for `--version`, whose text is ``VersionText``'s.
  static var version: String { "urlload \(PackageVersion.current)" }

  static var discussion: String {
    """
    EXAMPLES:
      urlload https://example.org/               to standard output
      urlload -O https://example.org/a.zip       into a.zip, with a progress bar
      urlload -O -C - https://host/big.iso       resumes where it stopped
      urlload -O --retry 5 https://host/big.iso  a broken load is resumed by itself
      urlload -O 'https://host/[1-9].jpg'        nine files, eight at a time
      urlload -o a -o b ftp://host/a file:///b   two at a time
      urlload -r 0-1023 ftp://host/big.bin       the first kilobyte
      urlload -d name=value https://host/form    a form
      urlload --json '{"a":1}' https://host/api  JSON
      urlload -z a.iso -o a.iso https://host/a   only what is newer than the file
      urlload -b jar -c jar https://host/        with the cookies of a file, as curl
      urlload -T a.jpg -u me ftp://host/photos/  upload; asks for the password
      urlload ls -l ftp://host/photos/           what is there; see urlload ls --help
      urlload -O sftp://me@host/~/a.zip          with the keys and settings of ~/.ssh
      urlload -T a.jpg -u me davs://host/photos/ the same on a WebDAV server
      urlload x.zip!/a/b.csv                     a member of an archive
      urlload 'archive:https://host/x.zip!/b'    only its bytes are fetched
      urlload 'data:text/plain;base64,SGVsbG8K'  any scheme works the same

    Options mean what they mean to curl. A file has its name only when it is whole; what is left of a load that fails is \
    in FILE.part, a name that no server can suggest: -O writes FILE_part then. A status of 400 or above is a failure: \
    its body is written where the output is no file, with -f nowhere, with --fail-with-body everywhere.

    FILES AND VARIABLES:
      ~/.config/urlload   options that go before those of the command line; not read after a first -q
      ~/.netrc            logins, read with -n
      CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR   certificate authorities to trust instead of the system's
      http_proxy, https_proxy, ftp_proxy, all_proxy, no_proxy   proxies, where -x names none

    EXIT CODES:
    \(ExitReason.table)
    """
  }

  static var resources: String {
    """
    Arguments are URLs with a scheme, members of archives, or else paths of this machine.

    EXAMPLES:
      urlload stat sftp://host/~/a.zip           what it is
      urlload cp a.zip sftp://host/~/            a file into a directory
      urlload cp -r sftp://host/srv/data/ copy   a directory with all that is in it
      urlload mv ftp://host/a ftp://host/old/a   on one server, at once
      urlload rm -r file:///tmp/copy             a directory with all that is in it
      urlload mkdir -p sftp://host/~/a/b/c       with those on the way

    Between schemes a file is loaded and stored as it comes; it has its name when it is whole, where its server can do that. \
    Of a tree all is done that can be; the first failure is said, with the number of all.

    The exit codes are those of urlload.
    """
  }

  static var listing: String {
    """
    EXAMPLES:
      urlload ls file:///srv/data/               names, one a line
      urlload ls -l ftp://host/pub/              with kind, size and time of the last change
      urlload ls -R x.zip!/                      all that is in an archive
      urlload ls --json ftp://host/pub/          for programs

    Entries come in the source's order, as it is read. On a terminal control characters in names are escaped. Of several \
    directories each is headed by its URL. A listing that breaks off is a failure.

    The exit codes are those of urlload.
    """
  }
}
