import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct BlockGridTests {
  @Test(arguments: [Int64(0), 1, 99, 100, 101, 250, 1000], [Int64(0), 1, 50, 99, 100, 230])
  func blocksCoverTheResourceOnce(length: Int64, origin: Int64) {
    let grid = BlockGrid(length: length, blockSize: 100, origin: origin)
    var next: Int64 = 0
    for block in 0..<grid.count {
      let bytes = grid.bytes(of: block)
      #expect(bytes.lowerBound == next && !bytes.isEmpty && bytes.count <= 100)
      for position in bytes { #expect(grid.block(at: position) == block) }
      next = bytes.upperBound
    }
    #expect(next == length)
  }

  @Test func aBoundaryIsAtTheOrigin() {
    let grid = BlockGrid(length: 1000, blockSize: 100, origin: 950)
    #expect(grid.bytes(of: grid.blocks(covering: 950..<1000)) == 950..<1000)
    #expect(grid.bytes(of: 0) == 0..<50)
    #expect(grid.blocks(covering: 49..<51) == 0..<2)
    #expect(grid.blocks(covering: 49..<50) == 0..<1)
    #expect(grid.bytes(of: 1..<3) == 50..<250)
  }

  @Test func theLargestResourceHasItsBlocks() {
    let length = Int64.max - 1
    let grid = BlockGrid(length: length, blockSize: 512, origin: 511)
    #expect(grid.bytes(of: grid.count - 1).upperBound == length)
    #expect(grid.block(at: length - 1) == grid.count - 1)
  }
}

@Suite struct RecentBlocksTests {
  @Test func theOrderIsThatOfUse() {
    var recent = RecentBlocks()
    for block in 1...4 { recent.insert(block) }
    recent.touch(1)
    recent.insert(2)
    recent.remove(4)
    recent.touch(9)
    #expect(recent.count == 3 && !recent.contains(4) && !recent.contains(9))
    var order: [Int] = []
    _ = recent.oldest {
      order.append($0)
      return false
    }
    #expect(order == [3, 1, 2])
    #expect(recent.oldest { $0 != 3 } == 1)
    for block in order { recent.remove(block) }
    #expect(recent.count == 0 && recent.oldest { _ in true } == nil)
  }

  @Test func itIsAListInEveryOrderOfCalls() {
    var random = SeededGenerator(seed: 3)
    var recent = RecentBlocks()
    var model: [Int] = []
    for _ in 0..<5000 {
      let block = Int.random(in: 0..<12, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        recent.insert(block)
        model.removeAll { $0 == block }
        model.append(block)
      case 1:
        recent.touch(block)
        if model.contains(block) {
          model.removeAll { $0 == block }
          model.append(block)
        }
      default:
        recent.remove(block)
        model.removeAll { $0 == block }
      }
      var order: [Int] = []
      _ = recent.oldest {
        order.append($0)
        return false
      }
      guard order == model else { return #expect(order == model) }
    }
  }
}
