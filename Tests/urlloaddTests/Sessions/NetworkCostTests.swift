import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// Networks that begin to cost by the byte, and cease to. `MeteredTests` has where the service knows it from.
@Suite(.timeLimit(.minutes(3))) struct NetworkCostTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// `isDiscretionary` leaves to the system when a task is loaded.
  @Test(arguments: [
    ["--refuses", "cellular"], ["--refuses", "expensive"], ["--refuses", "constrained"], ["--discretionary"],
  ])
  func sessionsThatSpareItWait(_ options: [String]) async throws {
    let service = try ServiceThread(fixture)
    await service.setMetered(true)
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let thrifty = try fixture.program("thrifty", arguments: options + ["download:\(server.url("/thrifty"))"])
    #expect(try await thrifty.says("resumed 1", timeout: .seconds(60)), "\(thrifty.lines)")
    // One that came later, and may use every network.
    let other = try fixture.program("other", "download:\(server.url("/other"))")
    #expect(try await other.says("ended 1 0 200", timeout: .seconds(60)), "\(other.lines)")
    #expect(server.requests.map(\.path) == ["/other"])
    await service.setMetered(false)
    #expect(try await thrifty.says("ended 1 0 200", timeout: .seconds(60)), "\(thrifty.lines)")
    for program in [thrifty, other] { await program.kill() }
    await service.stop()
    await fixture.stop()
  }

  @Test func aTransferStopsAndGoesOn() async throws {
    let service = try ServiceThread(fixture)
    await service.setMetered(false)
    let server = try OutlivingTests.slowServer(pause: 20_000)
    let program = try fixture.program(
      "test", "thrifty:\(server.url("/thrifty"))", "download:\(server.url("/other"))")
    #expect(try await program.says("wrote 1 "), "\(program.lines)")
    #expect(await server.waitForRequests(2, timeout: .seconds(60)))
    await service.setMetered(true)
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().first?.state == "waits" }, "\(program.lines)")
    #expect(await server.wait(timeout: .seconds(60)) { $0.open < 2 })
    #expect(try await program.says("ended 2 0 200"), "\(program.lines)")
    #expect(program.all("ended").count == 1 && server.requests.count == 2, "\(program.lines)")
    await service.setMetered(false)
    #expect(try await program.says("ended 1 0 206"), "\(program.lines)")
    #expect(server.requests.last?.fields["Range"] != nil)
    for number in 1...2 {
      let file = fixture.taken.appending(path: "\(number)")
      #expect(try TestFiles.firstDifference(in: file, count: 3_000_000, seed: 30) == nil, "\(number)")
    }
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  @Test func aDiscretionaryTransferStopsAndGoesOn() async throws {
    let service = try ServiceThread(fixture)
    await service.setMetered(false)
    let server = try OutlivingTests.slowServer(held: 1)
    let program = try fixture.program("later", "--discretionary", "download:\(server.url("/later"))")
    #expect(try await program.says("wrote 1 ", timeout: .seconds(60)), "\(program.lines)")
    await service.setMetered(true)
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().first?.state == "waits" }, "\(program.lines)")
    #expect(await server.wait(timeout: .seconds(60)) { $0.open == 0 })
    #expect(program.all("ended").isEmpty && server.requests.count == 1, "\(program.lines)")
    await service.setMetered(false)
    #expect(try await program.says("ended 1 0 206", timeout: .seconds(60)), "\(program.lines)")
    let file = fixture.taken.appending(path: "1")
    #expect(try TestFiles.firstDifference(in: file, count: 3_000_000, seed: 30) == nil)
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  /// Nobody tells the service of a change: it looks again and again.
  @Test func aChangeIsSeenAtTheNextLook() async throws {
    let (isMetered, looks) = (Watched(true), Watched(0))
    let service = try ServiceThread(fixture) { options in
      options.costInterval = 0.05
      options.networkCost = {
        looks.update { $0 += 1 }
        return NetworkCost(isMetered: isMetered.value)
      }
    }
    let server = try OutlivingTests.slowServer(held: 1)
    let program = try fixture.program("thrifty", "thrifty:\(server.url("/a"))")
    #expect(try await program.says("resumed 1", timeout: .seconds(60)), "\(program.lines)")
    // The first of them may still be on its way to the service when the second is asked for.
    #expect(await looks.wait { $0 > 3 })
    let control = try await fixture.control()
    #expect(try control.jobs().map(\.state) == ["waits"])
    #expect(server.requests.isEmpty)
    isMetered.update { $0 = false }
    #expect(try await program.says("wrote 1 ", timeout: .seconds(60)), "\(program.lines)")
    isMetered.update { $0 = true }
    #expect(try await eventually { try control.jobs().first?.state == "waits" }, "\(program.lines)")
    #expect(await server.wait(timeout: .seconds(60)) { $0.open == 0 })
    isMetered.update { $0 = false }
    #expect(try await program.says("ended 1 0 206", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  @Test func requestsSayItOnTheirWayToTheService() throws {
    let url = try #require(URL(string: "http://example.org/"))
    let plain = URLRequest(url: url)
    #expect(BackgroundValues.request(BackgroundValues.data(of: plain))?.avoidsMetered == false)
    for kind in 0..<3 {
      var request = plain
      switch kind {
      case 0: request.allowsCellularAccess = false
      case 1: request.allowsExpensiveNetworkAccess = false
      default: request.allowsConstrainedNetworkAccess = false
      }
      #expect(BackgroundValues.request(BackgroundValues.data(of: request))?.avoidsMetered == true, "\(kind)")
    }
  }
}
