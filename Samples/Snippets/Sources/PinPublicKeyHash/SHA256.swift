import Foundation

/// SHA-256 (FIPS 180-4), by the name that it has in CryptoKit, for systems without.
struct SHA256 {
    private static let constants: [UInt32] = primes.map { fraction(of: cbrt(Double($0))) }

    private static let primes = Array((2...311).filter { number in !(2..<number).contains { number % $0 == 0 } })

    private static func fraction(of number: Double) -> UInt32 {
        UInt32((number - number.rounded(.down)) * 4_294_967_296)
    }

    static func hash(data: Data) -> [UInt8] {
        var message = Array(data) + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8((data.count * 8) >> shift & 0xFF)) }
        var state = primes.prefix(8).map { fraction(of: Double($0).squareRoot()) }
        for start in stride(from: 0, to: message.count, by: 64) {
            compress(message[start..<start + 64], into: &state)
        }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(word >> $0 & 0xFF) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (w15, w2) = (words[index - 15], words[index - 2])
            let s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ w15 >> 3
            let s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ w2 >> 10
            words.append(words[index - 16] &+ s0 &+ words[index - 7] &+ s1)
        }
        var v = state
        for index in 0..<64 {
            let s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
            let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            let first = v[7] &+ s1 &+ choice &+ constants[index] &+ words[index]
            let s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            v = [first &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        for index in 0..<8 { state[index] = state[index] &+ v[index] }
    }
}
