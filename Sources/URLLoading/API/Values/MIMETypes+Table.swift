extension MIMETypes {
  /// Types by extension in lower case.
  static let table: [String: String] = {
    var table: [String: String] = [:]
    for (type, extensions) in entries {
      for name in extensions.split(separator: " ") { table[String(name)] = type }
    }
    return table
  }()

  /// Each type with its extensions.
  private static let entries: [(type: String, extensions: String)] = [
    // Documents of the web
    ("text/html", "html htm shtml"), ("application/xhtml+xml", "xhtml xht"), ("text/css", "css"),
    ("text/javascript", "js mjs cjs"), ("application/json", "json map"), ("application/geo+json", "geojson"),
    ("application/ld+json", "jsonld"), ("application/manifest+json", "webmanifest"),
    ("application/x-ndjson", "ndjson jsonl"), ("application/xml", "xml xsl xsd rng"), ("application/xslt+xml", "xslt"),
    ("application/xml-dtd", "dtd"), ("application/rss+xml", "rss"), ("application/atom+xml", "atom"),
    ("application/wasm", "wasm"), ("text/vtt", "vtt"), ("text/cache-manifest", "appcache"),
    // Text
    ("text/plain", "txt text log conf cfg ini env list diff patch rst adoc srt lock properties gitignore"),
    ("text/markdown", "md markdown"), ("text/csv", "csv"), ("text/tab-separated-values", "tsv"),
    ("text/calendar", "ics ifb"), ("text/vcard", "vcf vcard"), ("text/richtext", "rtx"), ("application/rtf", "rtf"),
    ("application/yaml", "yaml yml"), ("application/toml", "toml"), ("application/sql", "sql"),
    ("application/graphql", "graphql gql"), ("message/rfc822", "eml mime mht mhtml"),
    // Source code
    (
      "text/plain",
      """
      swift c h cc cpp cxx hh hpp hxx m mm go rs py pyi rb pl pm php java kt kts scala groovy cs fs vb lua r jl dart hs \
      ml mli ex exs erl clj cljs el lisp scm nim zig v sv vhd pas f f90 f95 asm s tsx jsx mts cts vue svelte gradle \
      cmake mk bat cmd ps1 proto thrift modulemap pbxproj strings
      """
    ),
    ("application/x-sh", "sh bash zsh ksh fish"), ("application/x-csh", "csh"), ("application/x-tcl", "tcl"),
    ("application/x-tex", "tex sty"), ("application/x-ipynb+json", "ipynb"),
    // Images
    ("image/png", "png"), ("image/apng", "apng"), ("image/jpeg", "jpg jpeg jpe jfif"), ("image/gif", "gif"),
    ("image/webp", "webp"), ("image/avif", "avif"), ("image/heic", "heic"), ("image/heif", "heif"),
    ("image/jxl", "jxl"), ("image/jp2", "jp2"), ("image/svg+xml", "svg svgz"), ("image/bmp", "bmp dib"),
    ("image/tiff", "tif tiff"), ("image/x-icon", "ico cur"), ("image/vnd.adobe.photoshop", "psd"),
    ("image/x-portable-bitmap", "pbm"), ("image/x-portable-graymap", "pgm"), ("image/x-portable-pixmap", "ppm"),
    ("image/x-portable-anymap", "pnm"), ("image/x-tga", "tga"), ("image/x-xcf", "xcf"), ("image/vnd.djvu", "djvu djv"),
    ("image/vnd.dxf", "dxf"), ("image/x-adobe-dng", "dng"),
    // Audio
    ("audio/mpeg", "mp3 mp2 mpga"), ("audio/mp4", "m4a m4b"), ("audio/aac", "aac"), ("audio/ogg", "oga ogg spx"),
    ("audio/opus", "opus"), ("audio/flac", "flac"), ("audio/wav", "wav"), ("audio/aiff", "aif aiff aifc"),
    ("audio/midi", "mid midi kar"), ("audio/x-ms-wma", "wma"), ("audio/webm", "weba"), ("audio/x-matroska", "mka"),
    ("audio/amr", "amr"), ("audio/basic", "au snd"), ("audio/x-caf", "caf"), ("audio/mpegurl", "m3u"),
    ("audio/x-scpls", "pls"),
    // Video
    ("video/mp4", "mp4 m4v mp4v"), ("video/mpeg", "mpeg mpg mpe m1v m2v"), ("video/quicktime", "mov qt"),
    ("video/webm", "webm"), ("video/x-matroska", "mkv mk3d"), ("video/ogg", "ogv"), ("application/ogg", "ogx"),
    ("video/x-msvideo", "avi"), ("video/x-ms-wmv", "wmv"), ("video/x-flv", "flv"), ("video/3gpp", "3gp"),
    ("video/3gpp2", "3g2"),
    // `.ts` is TypeScript far more often than a transport stream in a file tree.
    ("text/plain", "ts"), ("video/mp2t", "m2ts"), ("application/vnd.apple.mpegurl", "m3u8"),
    ("application/dash+xml", "mpd"),
    // Fonts
    ("font/ttf", "ttf"), ("font/otf", "otf"), ("font/collection", "ttc"), ("font/woff", "woff"),
    ("font/woff2", "woff2"), ("application/vnd.ms-fontobject", "eot"),
    // Archives and packages
    ("application/zip", "zip"), ("application/gzip", "gz tgz"), ("application/x-bzip2", "bz2 tbz tbz2"),
    ("application/x-xz", "xz txz"), ("application/x-lzma", "lzma"), ("application/zstd", "zst tzst"),
    ("application/x-lz4", "lz4"), ("application/x-compress", "z"), ("application/x-brotli", "br"),
    ("application/x-tar", "tar"), ("application/x-cpio", "cpio"), ("application/x-7z-compressed", "7z"),
    ("application/vnd.rar", "rar"), ("application/vnd.ms-cab-compressed", "cab"),
    ("application/x-iso9660-image", "iso"), ("application/x-apple-diskimage", "dmg"),
    ("application/x-archive", "a ar lib"), ("application/x-xar", "xar pkg"),
    ("application/java-archive", "jar war ear"), ("application/java-vm", "class"),
    ("application/vnd.debian.binary-package", "deb udeb"), ("application/x-rpm", "rpm"),
    ("application/vnd.android.package-archive", "apk"), ("application/x-msi", "msi"),
    ("application/vnd.microsoft.portable-executable", "exe dll"), ("application/x-sharedlib", "so"),
    ("application/warc", "warc"),
    // Office and print
    ("application/pdf", "pdf"), ("application/postscript", "ps eps ai"), ("application/epub+zip", "epub"),
    ("application/x-mobipocket-ebook", "mobi prc"), ("application/msword", "doc dot"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.template", "dotx"),
    ("application/vnd.ms-excel", "xls xlt"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.ms-powerpoint", "ppt pps pot"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.openxmlformats-officedocument.presentationml.slideshow", "ppsx"),
    ("application/vnd.oasis.opendocument.text", "odt"), ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
    ("application/vnd.oasis.opendocument.presentation", "odp"), ("application/vnd.oasis.opendocument.graphics", "odg"),
    ("application/vnd.apple.pages", "pages"), ("application/vnd.apple.numbers", "numbers"),
    ("application/vnd.apple.keynote", "key"), ("application/vnd.visio", "vsd"), ("application/x-dvi", "dvi"),
    // Data and everything else
    ("application/octet-stream", "bin dat img o dump"), ("application/x-plist", "plist"),
    ("application/vnd.sqlite3", "sqlite sqlite3 db"), ("application/vnd.apache.parquet", "parquet"),
    ("application/vnd.apache.arrow.file", "arrow feather"), ("application/x-hdf5", "h5 hdf5"),
    ("application/x-netcdf", "nc"), ("application/cbor", "cbor"), ("application/vnd.msgpack", "msgpack"),
    ("application/x-bittorrent", "torrent"), ("application/metalink4+xml", "meta4"),
    ("application/pgp-signature", "sig asc"), ("application/x-x509-ca-cert", "crt cer der"),
    ("application/x-pem-file", "pem"), ("application/pkcs12", "p12 pfx"), ("application/pkcs8", "p8"),
    ("application/pkcs10", "p10 csr"), ("application/vnd.google-earth.kml+xml", "kml"),
    ("application/vnd.google-earth.kmz", "kmz"), ("application/gpx+xml", "gpx"), ("model/gltf+json", "gltf"),
    ("model/gltf-binary", "glb"), ("model/stl", "stl"), ("model/obj", "obj"), ("model/vnd.usdz+zip", "usdz"),
  ]
}
