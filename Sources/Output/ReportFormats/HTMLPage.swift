/// A page that needs nothing else: no network, no other file.
enum HTMLPage {
  /// - Parameters:
  ///   - style: rules after the common ones.
  ///   - body: what `main` holds.
  ///   - data: JSON that the script finds in the element `data`.
  ///   - script: empty for a page that needs none.
  static func text(
    title: String, style: String, body: String, data: String = "null", script: String = ""
  ) -> String {
    let scripts =
      script.isEmpty
      ? ""
      : "<script type=\"application/json\" id=\"data\">\(embedded(data))</script>\n"
        + "<script>\(scriptText(script))</script>\n"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(HTMLText.escaped(title))</title>
      <style>
      \(HTMLStyle.sheet)\(style)</style>
      </head>
      <body>
      <main>
      \(body)</main>
      \(scripts)</body>
      </html>

      """
  }

  static func scriptText(_ script: String) -> String { "\n" + script }

  /// JSON within a script element, which names in it could end or comment out.
  private static func embedded(_ json: String) -> String {
    json.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
  }
}

/// What pages with search and tables have in common, in light and in dark.
enum HTMLStyle {
  static let sheet = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #57606a;
      --line: #d8dee4; --panel: #f6f8fa; --link: #0550ae; --bad: #d55e00 }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #0f1419; --ink: #e6e8ea; --soft: #a0a8b1; --line: #30363d;
        --panel: #171d24; --link: #79c0ff }
    }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif }
    main { max-width: 1280px; margin: 0 auto; padding: 24px 20px 48px }
    h1 { font-size: 1.5rem; margin: 0 0 12px }
    h2 { font-size: 1.15rem; margin: 28px 0 6px }
    p { margin: 4px 0 }
    a { color: var(--link) }
    .small { color: var(--soft); font-size: .875rem }
    .result { background: var(--panel); border-left: 4px solid var(--line); padding: 8px 14px;
      margin: 12px 0 }
    .lossy { border-color: var(--bad) }
    form { display: flex; flex-wrap: wrap; gap: 8px 18px; align-items: center; margin: 8px 0 }
    input, select, button { font: inherit; color: inherit; background: var(--paper);
      border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px }
    input { width: 22rem; max-width: 100% }
    output { color: var(--soft) }
    .scroll { overflow-x: auto }
    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
    th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); text-align: left;
      vertical-align: top }
    thead th { color: var(--soft); white-space: nowrap }
    thead button { border: 0; padding: 0; font-weight: 600; color: inherit; cursor: pointer }
    th[aria-sort=ascending] button::after { content: " \\2191" }
    th[aria-sort=descending] button::after { content: " \\2193" }
    td.n, th.n { text-align: right; white-space: nowrap }
    td.name, td.place { overflow-wrap: anywhere } td.name { min-width: 24rem }
    td.place { min-width: 16rem } td:last-child { white-space: nowrap }
    #more { margin: 12px 0 }
    @media print {
      form, #more { display: none }
      main { max-width: none; padding: 0 }
      canvas, svg { max-width: 100% }
      .scroll { overflow: visible }
      tr, figure { break-inside: avoid }
    }

    """
}
