/** The demonstrations: one card each, on a grid of twelve. */
export const cards = `
main { max-width: 1160px; margin: 0 auto; padding: 0 24px; }
.grid { display: grid; grid-template-columns: repeat(12, minmax(0, 1fr)); gap: 16px; }
.card { position: relative; display: flex; flex-direction: column; padding: 18px 20px 20px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); }
.card-memory { grid-column: span 4; }
.card-socket { grid-column: span 5; }
.card-clock { grid-column: span 3; }
.card-next { grid-column: span 7; grid-row: span 2; }
.card-chronicle, .card-upload { grid-column: span 5; }
.card-request { grid-column: span 12; }
h2 { flex: none; font-size: 16px; line-height: 24px; font-weight: 650; letter-spacing: -0.005em; }
.card-head { display: flex; align-items: baseline; justify-content: space-between; gap: 12px; }
.note { color: var(--ink-soft); font-size: 14px; text-wrap: pretty; }

/* Says the state in words; the dot only repeats it. */
.state { display: inline-flex; align-items: baseline; gap: 7px; color: var(--ink-soft); font-size: 14px; line-height: 21px; text-wrap: balance; }
.state::before { content: ""; flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--line-firm); }
.state[data-tone="open"] { color: var(--open); }
.state[data-tone="open"]::before { background: var(--open); }
.state[data-tone="shut"] { color: var(--shut); }
.state[data-tone="shut"]::before { background: var(--shut); }
.state[data-tone="wait"] { color: var(--wait); }
.state[data-tone="wait"]::before { background: var(--wait); }

.facts { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.facts-three { grid-template-columns: 1fr 1fr 1fr; }
.facts dt { color: var(--ink-soft); font-size: 13px; }
.facts dd { font-size: 15px; white-space: nowrap; }

#counter-form { display: flex; align-items: center; justify-content: space-between; gap: 16px; margin: 14px 0 18px; }
.count { min-width: 0; font-size: 64px; line-height: 72px; font-weight: 500; letter-spacing: -0.04em; overflow: hidden; text-overflow: ellipsis; }
.card-memory .note { margin-top: auto; padding-top: 16px; min-height: 79px; }
.card-memory .note[data-tone="open"] { color: var(--open); }
.card-memory .note[data-tone="shut"] { color: var(--shut); }

.card-socket .card-head { min-height: 42px; }
.trips { display: flex; align-items: flex-end; justify-content: space-between; gap: 16px; margin-bottom: 12px; }
.figure { color: var(--ink-soft); font-size: 14px; white-space: nowrap; }
.figure b { display: inline-block; min-width: 2.4em; color: var(--ink); font-size: 24px; line-height: 36px; font-weight: 500; letter-spacing: -0.02em; }
.spark { flex: 1; min-width: 0; max-width: 200px; height: 36px; }
.spark rect { fill: var(--open); }
.spark .is-empty { fill: var(--line); }
.messages { flex: 1; height: 118px; min-height: 118px; margin-bottom: 12px; padding: 8px 12px; overflow-y: auto; border-radius: var(--radius); background: var(--sunk); font-size: 14px; scrollbar-width: thin; }
.messages li { display: flex; gap: 8px; overflow-wrap: anywhere; }
.messages li span { flex: 1; min-width: 0; }
.messages small { flex: none; color: var(--ink-soft); font: 13px/21px var(--mono); }
.messages .empty { color: var(--ink-soft); }
.send { display: flex; gap: 8px; }
.send input { flex: 1; }

.card-clock { align-items: stretch; }
.dial { display: block; width: 136px; height: 136px; margin: 12px auto 8px; }
.dial path { fill: none; stroke-linecap: round; }
.dial-tick { stroke: var(--line-firm); stroke-width: 1; opacity: 0.6; }
.dial-hour { stroke: var(--ink); stroke-width: 1.75; }
.dial-long { stroke: var(--ink); stroke-width: 3; }
.dial-hand { stroke: var(--open); stroke-width: 1.75; }
.dial-pin { fill: var(--open); }
.time { font-size: 22px; line-height: 30px; text-align: center; letter-spacing: -0.01em; }
.card-clock .note { margin-top: auto; padding-top: 10px; text-align: center; }

@media (max-width: 1000px) {
  .card-memory, .card-clock { grid-column: span 6; }
  .card-socket { grid-column: span 12; order: -1; }
  .card-next, .card-chronicle, .card-upload, .card-request { grid-column: span 12; grid-row: auto; }
}
@media (max-width: 640px) {
  main { padding: 0 16px; }
  .grid { gap: 12px; }
  .card { padding: 16px; }
  .card-memory, .card-clock { grid-column: span 12; }
  .card-socket { order: 0; }
}
`;
