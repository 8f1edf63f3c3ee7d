import Foundation
import Testing
import URLLoadingTestServers

/// Loads of every scheme while their process has no network, which it brings up when it is told that they wait: the kernel's messages,
/// the errors of its calls and the resolver's are real.
@Suite(
  .enabled("this machine lets nobody make a network of their own (unshare -rn)") { await PrivateNetwork.isAvailable },
  .timeLimit(.minutes(3)))
struct WaitingForConnectivityTests {
  @Test(arguments: ["http", "http6", "ftp", "sftp", "dav", "archive", "own"])
  func everySchemeWaits(_ scheme: String) async throws {
    #expect(try await PrivateNetwork.run(scheme) == ["told 1", "body hello", "transactions 1"])
  }

  @Test func theKernelTellsOfChanges() async throws {
    #expect(try await PrivateNetwork.run("kernel") == ["told true", "told true"])
  }

  @Test func aStreamIsSentWhole() async throws {
    let lines = try await PrivateNetwork.run("upload")
    #expect(lines == ["told 1", "body all of a stream", "transactions 1", "sent 15"])
  }

  @Test func aThousandWaitWithoutThreads() async throws {
    #expect(try await PrivateNetwork.run("many") == ["fewThreads true", "told 1000", "errors 0", "bytes 5000"])
  }

  @Test func cancelWhileItWaits() async throws {
    let lines = try await PrivateNetwork.run("cancel")
    #expect(lines == ["told 1", "error -999", "transactions 0", "other hello", "requests 1"])
  }

  @Test func onlyTheResourceTimeoutRuns() async throws {
    #expect(try await PrivateNetwork.run("resource-timeout") == ["told 1", "error -1001", "transactions 0"])
  }

  /// Names are looked up as in nsswitch.conf, which asks name servers as a rule.
  @Suite(
    .enabled("this machine lets nobody have a resolv.conf of their own (unshare -m, mount)") {
      await PrivateNetwork.mayNameServers
    })
  struct Names {
    private func run(_ scenario: String) async throws -> [String] {
      try await PrivateNetwork.run(scenario, nameServer: "127.0.0.1")
    }

    @Test func aNameServiceOutOfReachIsWaitedFor() async throws {
      #expect(try await run("name") == ["told 1", "body hello", "transactions 1", "asked true"])
    }

    @Test func aNameServiceThatFailsIsAskedAgain() async throws {
      #expect(try await run("name-failure") == ["told 1", "body hello", "transactions 1"])
    }

    @Test func aNameThatDoesNotExistFails() async throws {
      #expect(try await run("no-name") == ["told 0", "error -1003", "transactions 1"])
    }

    @Test func aServerThatRefusesOnOneOfItsAddressesFails() async throws {
      #expect(try await run("refused") == ["told 0", "error -1004", "transactions 1", "asked true"])
    }
  }
}
