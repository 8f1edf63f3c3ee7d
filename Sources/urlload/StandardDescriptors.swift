import Foundation

/// Standard input, output and error as they were when the process was started.
enum StandardDescriptors {
  /// Opens those that are closed, so that no file that is opened later is taken for one of them. As before, standard input gives nothing,
  /// and what is written on the others is an error.
  static func complete() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest that is free.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
