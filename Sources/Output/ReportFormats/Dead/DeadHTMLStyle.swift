/// How the page of a never-called list looks, beside what all pages have.
enum DeadHTMLStyle {
  /// Colours after Okabe and Ito (jfly.uni-koeln.de/color), which people with any colour vision tell
  /// apart.
  static let sheet = """
    :root { --never: var(--bad); --low: #e69f00; --all: #009e73; --unknown: #9aa4ae }
    @media (prefers-color-scheme: dark) { :root { --unknown: #59636e } }
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

    """
}
