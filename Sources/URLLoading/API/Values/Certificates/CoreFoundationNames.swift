// The names that programs know Foundation's classes by where they use Apple's Security framework. `data as CFData` and
// `certificate as Data` convert as they do there.

/// Foundation's class of bytes, by its name in Core Foundation.
public typealias CFData = NSData
/// Foundation's class of text, by its name in Core Foundation.
public typealias CFString = NSString
/// Foundation's class of lists, by its name in Core Foundation.
public typealias CFArray = NSArray
/// Foundation's class of tables, by its name in Core Foundation.
public typealias CFDictionary = NSDictionary
/// Foundation's class of moments, by its name in Core Foundation.
public typealias CFDate = NSDate
/// Foundation's class of errors, by its name in Core Foundation.
public typealias CFError = NSError
/// Any object, by its name in Core Foundation.
public typealias CFTypeRef = AnyObject
/// What Core Foundation makes objects with; Swift needs none, and ignores it.
public typealias CFAllocator = AnyObject
/// The result of a function of the Security framework: 0 where it did what it was to do.
public typealias OSStatus = Int32

/// A number of things, or the place of one, by its name in Core Foundation.
public typealias CFIndex = Int

/// The bytes, which live as long as the object.
public func CFDataGetBytePtr(_ data: CFData) -> UnsafePointer<UInt8>? {
  UnsafePointer(data.bytes.assumingMemoryBound(to: UInt8.self))
}

/// The number of bytes.
public func CFDataGetLength(_ data: CFData) -> CFIndex { data.length }

/// The number of an error in its domain.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// Where the number of an error comes from.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain as CFString }

/// An error in words.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.localizedDescription as CFString }

/// The allocator that is used where none is given: nil.
public var kCFAllocatorDefault: CFAllocator? { nil }
