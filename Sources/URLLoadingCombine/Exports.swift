// As on Apple's systems, one import gives the publishers and the operators to use them with; and an app's own module `Combine` needs one
// line. `URLLoading` is not re-exported: a file says by itself which module its `URLSession` is from.
@_exported import OpenCombine
