/// How the page of a comparison looks beyond what all pages have in common, in light and in dark.
enum ComparisonStyle {
  /// The colours of page kinds are those of Okabe and Ito (jfly.uni-koeln.de/color), which people
  /// with any colour vision tell apart; their yellow is darker here, to be seen on white.
  static let sheet = """
    :root { --good: #0a6b3d; --bad: #a8340a; --pale: .2 }
    @media (prefers-color-scheme: dark) {
      :root { --good: #4cc38a; --bad: #ff9a6b; --pale: .26 }
    }
    h2 { margin: 32px 0 8px }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 0 }
    dt { font-weight: 600 }
    dd { margin: 0; overflow-wrap: anywhere }
    .result { margin: 16px 0 }
    .warning { color: var(--bad); font-weight: 600 }
    table { margin: 16px 0 6px; width: auto }
    caption { text-align: left; font-weight: 600; font-size: 1.15rem; padding-bottom: 6px }
    th, td { white-space: nowrap }
    thead th { font-weight: 600 }
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
