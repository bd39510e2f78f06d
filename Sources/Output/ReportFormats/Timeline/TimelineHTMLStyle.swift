/// How the page of a timeline looks, beside what all pages have.
enum TimelineHTMLStyle {
  /// Colours of modules after Okabe and Ito (jfly.uni-koeln.de/color), paler, for dark text on them;
  /// the script reads them from here.
  static let sheet = """
    :root { --c0: #8ec5e8; --c1: #f2c66d; --c2: #8fd0b5; --c3: #f0a98a; --c4: #d9b3d0; --c5: #c9d27a;
      --c6: #a9b8ee; --c7: #d6c2a5; --tag: #10151a; --match: #e4007f; --band: #e3e8ee;
      --band2: #cdd6df; --mark: #0a7d4f; --ready: #b3261e }
    @media (prefers-color-scheme: dark) {
      :root { --c0: #5fa8d3; --c1: #d3a44a; --c2: #5fb595; --c3: #d58a68; --c4: #b98db0; --c5: #a8b15a;
        --c6: #8798d8; --c7: #b3a084; --match: #ff5cb0; --band: #27303a; --band2: #36424f;
        --mark: #4cc38a; --ready: #ff8a80 }
    }
    code { font-size: .9em; overflow-wrap: anywhere }
    #controls { position: sticky; top: 0; z-index: 2; background: var(--paper); padding: 6px 0;
      margin: 0 }
    .bar { display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center }
    button { cursor: pointer } button:disabled { color: var(--soft); cursor: default }
    .canvas { border: 1px solid var(--line); overflow-y: auto; overflow-x: hidden;
      max-height: 66vh; position: relative; cursor: default }
    .canvas canvas { position: sticky; top: 0; left: 0; display: block; touch-action: pan-y }
    .canvas:focus-visible { outline: 2px solid var(--link); outline-offset: 1px }
    #lanes.moving { cursor: grabbing }
    #detail, #flame-detail { min-height: 3.2em; overflow-wrap: anywhere }
    caption { text-align: left; font-weight: 600; font-size: 1.15rem; padding: 20px 0 6px }
    td button { border: 0; padding: 0; text-align: left; color: var(--link); background: none;
      overflow-wrap: anywhere }
    tbody th { font-weight: 400 }
    #list td.n { min-width: 4.5rem }
    @media print {
      .bar { display: none }
      .canvas { max-height: none; overflow: visible; border: 0 }
      .canvas canvas { position: static; width: auto !important; height: auto !important;
        max-width: 100%; max-height: 92vh }
    }

    """
}
