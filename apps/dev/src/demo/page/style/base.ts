/** Colours, type, and what every part of the page has. Both schemes keep 4.5:1 for text and 3:1 for what is not text. */
export const base = `
:root {
  color-scheme: light dark;
  --ground: #e9ede9;
  --paper: #f8faf7;
  --sunk: #eff3ef;
  --ditch: #dee5e0;
  --ink: #14211e;
  --ink-soft: #4c5c57;
  --line: #cdd6d0;
  --line-firm: #7f9089;
  --open: #0a6b55;
  --open-soft: #d5ebe2;
  --shut: #a2341a;
  --shut-soft: #f6ddd4;
  --wait: #7d5a06;
  --on-main: #ffffff;
  --radius: 6px;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Liberation Mono", "DejaVu Sans Mono", monospace;
  --sans: Inter, "Avenir Next", "Segoe UI Variable Text", "Segoe UI", Roboto, Cantarell, "Noto Sans", "Liberation Sans", system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0c1211;
    --paper: #141c1a;
    --sunk: #0f1615;
  --ditch: #111a18;
    --ink: #e6ede9;
    --ink-soft: #9db0a8;
    --line: #26332f;
    --line-firm: #62766d;
    --open: #63d3b0;
    --open-soft: #143a31;
    --shut: #ff9577;
    --shut-soft: #43201a;
    --wait: #e5bd62;
    --on-main: #06231b;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; color: var(--ink); font: 16px/1.5 var(--sans); }
h1, h2, h3, p, ol, ul, dl, dd { margin: 0; padding: 0; }
ol, ul { list-style: none; }
b { font-weight: 650; }
code, .time, .count, dd, .address, .figure b { font-family: var(--mono); font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--open); outline-offset: 2px; }
main:focus { outline: none; }

.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 16px; top: -60px; z-index: 1; padding: 10px 16px; background: var(--paper); color: var(--ink); border-radius: var(--radius); }
.skip:focus { top: 12px; }
.noscript { max-width: 1160px; margin: 0 auto 16px; padding: 0 24px; color: var(--wait); }

/* Alternatives in one cell: the tallest makes the room, so a change of state moves nothing. */
.stack { display: grid; }
.stack > * { grid-area: 1 / 1; visibility: hidden; }
[data-door="open"] [data-when="open"],
[data-door="shut"] [data-when="shut"],
[data-door="waiting"] [data-when="waiting"],
[data-door="empty"] [data-when="empty"],
[data-door="lost"] [data-when="lost"],
[data-door="direct"] [data-when="direct"] { visibility: visible; }

.button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 44px; padding: 0 16px;
  border: 1px solid var(--line-firm); border-radius: var(--radius); background: transparent; color: var(--ink);
  font: 550 15px/1 var(--sans); white-space: nowrap; cursor: pointer; touch-action: manipulation;
}
.button:hover:not(:disabled) { border-color: var(--ink); }
.button:active:not(:disabled) { background: var(--sunk); }
.button-main { border-color: var(--open); background: var(--open); color: var(--on-main); }
.button-main:hover:not(:disabled) { border-color: var(--ink); }
.button-main:active:not(:disabled) { background: var(--open); filter: brightness(0.92); }
.button:disabled { opacity: 0.5; cursor: default; }
input[type="text"] {
  min-height: 44px; min-width: 0; padding: 0 12px; border: 1px solid var(--line-firm); border-radius: var(--radius);
  background: var(--sunk); color: var(--ink); font: 16px var(--sans);
}
input::placeholder { color: var(--ink-soft); opacity: 1; }

@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { transition: none !important; animation: none !important; scroll-behavior: auto !important; }
}
`;
