/// How the page of a never-called list looks, in light and in dark.
enum DeadHTMLStyle {
  /// Colours after Okabe and Ito (jfly.uni-koeln.de/color), which people with any colour vision tell
  /// apart.
  static let sheet = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #57606a;
      --line: #d8dee4; --panel: #f6f8fa; --link: #0550ae; --never: #d55e00; --low: #e69f00;
      --all: #009e73; --unknown: #9aa4ae; --tag: #fff }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #0f1419; --ink: #e6e8ea; --soft: #a0a8b1; --line: #30363d;
        --panel: #171d24; --link: #79c0ff; --unknown: #59636e; --tag: #0f1419 }
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
    .lossy { border-color: var(--never) }
    .sums { display: grid; grid-template-columns: max-content 1fr; gap: 0 12px; margin: 12px 0 4px }
    .sums dt { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600 }
    .sums dd { margin: 0 }
    #map { width: 100%; height: 420px; display: block; background: var(--panel) }
    #map g { cursor: pointer } #map g:focus-visible rect { stroke: var(--ink); stroke-width: 3 }
    #map rect { stroke: var(--paper); stroke-width: 1 }
    #map text { font-size: 12px; fill: #10151a; pointer-events: none }
    .legend { list-style: none; padding: 0; margin: 8px 0; display: flex; flex-wrap: wrap;
      gap: 4px 20px }
    .legend li { display: flex; align-items: center; gap: 8px }
    .legend i { width: 26px; height: 13px; display: inline-block }
    .c-never { background: var(--never) } .c-low { background: var(--low) }
    .c-all { background: var(--all) } .c-unknown { background: var(--unknown) }
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
    td { overflow-wrap: anywhere } td.name { min-width: 24rem }
    td.place { min-width: 16rem } td:last-child { white-space: nowrap }
    #more { margin: 12px 0 }

    """
}
