internal import URLLoadingCCurl

/// Input that libcurl has taken from the kernel, and that no transfer has read.
///
/// Since 8.15 libcurl has OpenSSL read ahead. A transfer by HTTP/2 whose stream has ended reads no further (`h2_progress_ingress` in libcurl's
/// lib/http2.c). Where libcurl asks no other of the connection after it, what OpenSSL has of theirs stays there: the socket has nothing more to
/// tell, and they would wait for ever.
extension MultiHandle {
  /// Has libcurl read on, as long as transfers end by that. Each that ends is one less, so that it comes to an end; where none does, libcurl has
  /// asked each, and they have read all that there is.
  /// - Parameter running: how many transfers libcurl has left; those that it has finished are not reaped yet.
  @inline(never) func readOn(running: Int32) {
    guard CurlLibrary.shared.leavesInput, quic == nil else { return }
    var before = self.running.count
    var left = running
    while left > 0, left < before, let curl {
      before = Int(left)
      var index = 0
      while index < multiplexed.count {
        // It may close connections.
        if multiplexed[index].mayHaveInput {
          curl_multi_socket_action(curl, multiplexed[index].socket, CURL_CSELECT_IN, &left)
        }
        index += 1
      }
    }
  }
}
