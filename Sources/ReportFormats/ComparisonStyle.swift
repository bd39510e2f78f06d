/// How the page of a comparison looks, in light and in dark.
enum ComparisonStyle {
  /// The colours of page kinds are those of Okabe and Ito (jfly.uni-koeln.de/color), which people
  /// with any colour vision tell apart; their yellow is darker here, to be seen on white.
  static let sheet = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #57606a;
      --line: #d8dee4; --panel: #f6f8fa; --good: #0a6b3d; --bad: #a8340a; --pale: .2 }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #0f1419; --ink: #e6e8ea; --soft: #a0a8b1; --line: #30363d;
        --panel: #171d24; --good: #4cc38a; --bad: #ff9a6b; --pale: .26 }
    }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif }
    main { max-width: 1280px; margin: 0 auto; padding: 24px 20px 48px }
    h1 { font-size: 1.5rem; margin: 0 0 12px }
    h2 { font-size: 1.15rem; margin: 32px 0 8px }
    p { margin: 4px 0 }
    .small { color: var(--soft); font-size: .875rem }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 0 }
    dt { font-weight: 600 }
    dd { margin: 0; overflow-wrap: anywhere }
    .result { background: var(--panel); border-left: 4px solid var(--line); padding: 8px 14px;
      margin: 16px 0 }
    .scroll { overflow-x: auto }
    table { border-collapse: collapse; margin: 16px 0 6px; font-variant-numeric: tabular-nums }
    caption { text-align: left; font-weight: 600; font-size: 1.15rem; padding-bottom: 6px }
    th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: left;
      white-space: nowrap }
    thead th { color: var(--soft); font-weight: 600 }
    tbody th { font-weight: 400 }
    .n { text-align: right }
    .lower td:last-child { color: var(--good); font-weight: 600 }
    .higher td:last-child { color: var(--bad); font-weight: 600 }
    .same td:last-child { color: var(--soft) }
    .sum th, .sum td { font-weight: 600; border-bottom: 0 }
    .maps { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; align-items: start }
    figure { margin: 0 }
    figcaption { font-weight: 600; margin-bottom: 6px }
    .map { width: 100%; height: auto; display: block; background: var(--paper) }
    .map rect, .legend rect { fill-opacity: var(--pale) }
    rect.t, .map rect.t, .legend rect.t { fill-opacity: 1 }
    .grid { stroke: var(--paper); stroke-width: 1.6; fill: none; pointer-events: none }
    .legend { list-style: none; padding: 0; margin: 12px 0 16px; display: flex; flex-wrap: wrap;
      gap: 6px 22px }
    .legend li { display: flex; align-items: center; gap: 8px }
    .legend svg { width: 28px; height: 14px }
    .k-code { fill: #0072b2 } .k-read { fill: #009e73 } .k-reloc { fill: #e69f00 }
    .k-symbol { fill: #cc79a7 } .k-data { fill: #d55e00 } .k-unwind { fill: #56b4e9 }
    .k-swift { fill: #b5a800 } .k-other { fill: #7d8590 }
    @media (max-width: 800px) { .maps { grid-template-columns: 1fr } }
    @media (forced-colors: active) { .map rect, .legend rect { forced-color-adjust: none } }

    """
}
