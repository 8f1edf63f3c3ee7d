import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

@Suite struct WaitingLinesTests {
  @Test func eachLineKeepsItsOrder() {
    var lines = WaitingLines<Int>()
    var odd = WaitingLines<Int>.Line()
    var even = WaitingLines<Int>.Line()
    for number in 0..<10 {
      if number % 2 == 0 { _ = lines.append(number, to: &even) } else { _ = lines.append(number, to: &odd) }
    }
    #expect(lines.count == 10)
    #expect((0..<5).map { _ in lines.popFirst(of: &odd) } == [1, 3, 5, 7, 9])
    #expect(odd.isEmpty)
    #expect(lines.popFirst(of: &odd) == nil)
    #expect((0..<5).map { _ in lines.popFirst(of: &even) } == [0, 2, 4, 6, 8])
    #expect(lines.isEmpty)
  }

  @Test func removingTheFirstTheLastAndTheMiddle() {
    var lines = WaitingLines<Int>()
    var line = WaitingLines<Int>.Line()
    let positions = (0..<5).map { lines.append($0, to: &line) }
    for number in [0, 4, 2] { #expect(lines.remove(positions[number], from: &line) == number) }
    _ = lines.append(5, to: &line)
    #expect((0..<4).map { _ in lines.popFirst(of: &line) } == [1, 3, 5, nil])
  }

  /// Whatever is done, the lines are what arrays would be.
  @Test func likeArrays() {
    var random = SeededGenerator(seed: 1)
    var lines = WaitingLines<Int>()
    var real = [WaitingLines<Int>.Line](repeating: WaitingLines<Int>.Line(), count: 3)
    var model = [[(number: Int, position: WaitingLines<Int>.Position)]](repeating: [], count: 3)
    for number in 0..<20_000 {
      let line = Int.random(in: 0..<3, using: &random)
      // Now and then nearly all go, so that the memory is given back and taken anew.
      let mostlyGrows = (number / 3000) % 2 == 0
      switch Int.random(in: 0..<10, using: &random) {
      case ..<(mostlyGrows ? 6 : 2): model[line].append((number, lines.append(number, to: &real[line])))
      case ..<8:
        let expected = model[line].isEmpty ? nil : model[line].removeFirst().number
        #expect(lines.popFirst(of: &real[line]) == expected)
      default:
        guard let index = model[line].indices.randomElement(using: &random) else { continue }
        let removed = model[line].remove(at: index)
        #expect(lines.remove(removed.position, from: &real[line]) == removed.number)
      }
      #expect(lines.count == model.map(\.count).reduce(0, +))
      #expect(real.map(\.isEmpty) == model.map(\.isEmpty))
    }
  }
}
