import ReportFormats

/// What all pages share.
enum PageFrame {
  static func page(title: String, body: String) -> String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(HTMLText.escaped(title)) - Firstlight</title>
    <style>\(style)</style></head>
    <body><header><a href="/">Firstlight</a></header><main>
    \(body)
    </main></body></html>

    """
  }

  private static let style = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1c2733; --soft: #5b6875;
      --line: #d8dfe6; --panel: #f4f7f9; --mark: #0072b2; --bad: #a63d00; --good: #00664a }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #11161b; --ink: #e4eaf0; --soft: #9aa8b5; --line: #30363d;
        --panel: #171d24; --mark: #56b4e9; --bad: #ff9a6b; --good: #4cc38a }
    }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif }
    header { border-bottom: 1px solid var(--line); padding: 10px 20px; font-weight: 600 }
    header a { color: inherit; text-decoration: none }
    main { max-width: 1180px; margin: 0 auto; padding: 16px 20px 48px }
    a { color: var(--mark) }
    h1 { font-size: 1.5rem; margin: 8px 0 4px } h2 { font-size: 1.15rem; margin: 32px 0 8px }
    p { margin: 4px 0 } .small { color: var(--soft); font-size: .875rem }
    .facts { display: flex; flex-wrap: wrap; gap: 10px 14px; margin: 16px 0; padding: 0;
      list-style: none }
    .facts li { background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
      padding: 8px 14px; min-width: 110px }
    .facts b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums }
    .facts span { color: var(--soft); font-size: .875rem }
    .scroll { overflow-x: auto }
    table { border-collapse: collapse; margin: 12px 0 6px; font-variant-numeric: tabular-nums }
    caption { text-align: left; white-space: nowrap; font-weight: 600; font-size: 1.15rem; padding-bottom: 6px }
    th, td { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); text-align: left;
      white-space: nowrap }
    thead th { color: var(--soft); font-weight: 600 } tbody th { font-weight: 400 }
    .n { text-align: right }
    .worse td:last-child { color: var(--bad); font-weight: 600 }
    .better td:last-child { color: var(--good); font-weight: 600 }
    .charts { display: grid; grid-template-columns: 1fr 1fr; gap: 28px }
    @media (max-width: 820px) {
      .charts { grid-template-columns: 1fr }
      th, td { padding-right: 10px }
      .startups :is(th, td):is(:nth-child(3), :nth-child(4), :nth-child(5)) { display: none }
    }
    figure { margin: 0 } figcaption { font-weight: 600; margin: 24px 0 6px }
    svg { width: 100%; height: auto; display: block }
    svg text { fill: var(--soft); font: 12px system-ui, "DejaVu Sans", sans-serif }
    svg .axis { stroke: var(--line) } svg .line { stroke: var(--mark); stroke-width: 2; fill: none }
    svg .bar, svg .dot { fill: var(--mark) }
    form { display: flex; gap: 8px; flex-wrap: wrap; align-items: end; margin: 14px 0 }
    label { font-size: .875rem; color: var(--soft) } input { display: block; font: inherit;
      padding: 4px 8px; border: 1px solid var(--line); border-radius: 4px;
      background: var(--paper); color: var(--ink) }
    button { font: inherit; padding: 5px 14px; border: 1px solid var(--line); border-radius: 4px;
      background: var(--panel); color: var(--ink) }
    code { background: var(--panel); padding: 1px 5px; border-radius: 3px }
    """
}

/// A row of figures with what they mean.
enum FactList {
  static func text(_ facts: [(String, String)]) -> String {
    "<ul class=\"facts\">"
      + facts.map {
        "<li><b>\(HTMLText.escaped($0.0))</b><span>\(HTMLText.escaped($0.1))</span></li>"
      }
      .joined() + "</ul>\n"
  }
}
