/** What is a list or a table: the steps, the chronicle, the upload, the request, and the foot. */
export const rows = `
.steps { display: grid; gap: 18px; margin-top: 14px; counter-reset: step; }
.steps li { display: grid; grid-template-columns: 30px minmax(0, 1fr); counter-increment: step; }
.steps li::before { content: counter(step); grid-row: 1 / span 3; color: var(--open); font: 500 15px/24px var(--mono); }
.steps li > * { grid-column: 2; }
.steps h3 { font-size: 15px; line-height: 24px; font-weight: 600; }
.steps p { color: var(--ink-soft); font-size: 14px; text-wrap: pretty; }
.command { display: flex; align-items: stretch; margin-top: 7px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunk); }
.command code { flex: 1; min-width: 0; padding: 9px 12px; font-size: 12.5px; line-height: 20px; overflow-wrap: anywhere; }
.copy { flex: none; align-self: stretch; min-width: 68px; min-height: 38px; border: 0; border-left: 1px solid var(--line); border-radius: 0 5px 5px 0; background: transparent; color: var(--open); font: 550 13px var(--sans); cursor: pointer; }
.copy:hover { background: var(--open-soft); }

.chronicle { flex: 1 1 180px; min-height: 180px; height: 0; margin-top: 12px; overflow-y: auto; scrollbar-width: thin; }
.chronicle li { display: grid; grid-template-columns: 74px minmax(0, 1fr); gap: 10px; padding: 7px 0; border-top: 1px solid var(--line); font-size: 14px; }
.chronicle li:first-child { border-top: 0; }
.chronicle time { color: var(--ink-soft); font: 13px/21px var(--mono); }
.chronicle [data-tone="open"] span { color: var(--open); }
.chronicle [data-tone="shut"] span { color: var(--shut); }
.chronicle [data-tone="wait"] span { color: var(--wait); }

.choose { display: flex; flex-wrap: wrap; gap: 8px; margin: 14px 0 16px; }
.file { position: relative; }
.file input { position: absolute; inset: 0; width: 100%; opacity: 0; font-size: 0; cursor: pointer; }
.file:focus-within { outline: 2px solid var(--open); outline-offset: 2px; }
progress { display: block; width: 100%; height: 8px; margin-bottom: 16px; border: 0; border-radius: 4px; background: var(--line); appearance: none; overflow: hidden; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--open); }
progress::-moz-progress-bar { background: var(--open); }

.request-line { margin: 8px 0 10px; font-size: 14px; overflow-wrap: anywhere; }
.fields { max-height: 420px; overflow: auto; border-top: 1px solid var(--line); scrollbar-width: thin; }
table { width: 100%; border-collapse: collapse; font-size: 13px; line-height: 20px; }
.fields th, .fields td { padding: 6px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.fields th { width: 32%; padding-right: 16px; color: var(--ink-soft); font-weight: 400; overflow-wrap: anywhere; }
.fields td { font-family: var(--mono); overflow-wrap: anywhere; }
.at-door th { color: var(--open); font-weight: 600; }
.badge { display: inline-block; margin-left: 4px; padding: 0 6px; border-radius: 3px; background: var(--open-soft); color: var(--open); font-size: 11px; line-height: 18px; font-weight: 550; white-space: nowrap; }

.foot { max-width: 1160px; margin: 28px auto 0; padding: 0 24px 28px; color: var(--ink-soft); font-size: 14px; }
.foot::before { content: ""; display: block; height: 10px; margin-bottom: 16px; background: repeating-linear-gradient(90deg, var(--line) 0 16px, transparent 16px 28px) 0 0 / 100% 6px no-repeat, linear-gradient(var(--line), var(--line)) 0 6px / 100% 4px no-repeat; }

@media (max-width: 640px) {
  .foot { padding: 0 16px 24px; }
  .choose .button { padding: 0 12px; }
  .fields { max-height: 380px; }
  .fields th, .fields td { display: block; width: auto; border: 0; }
  .fields th { padding: 8px 0 0; }
  .fields td { padding: 0 0 8px; border-bottom: 1px solid var(--line); }
  .chronicle { min-height: 200px; }
}
`;
