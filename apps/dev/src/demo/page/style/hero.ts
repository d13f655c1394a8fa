/** The head of the page: the words, and the plan of the fort with its door. */
export const hero = `
.hero {
  display: grid; grid-template-columns: minmax(0, 6fr) minmax(0, 6fr); align-items: center; gap: 24px;
  max-width: 1160px; margin: 0 auto; padding: 20px 24px 12px;
}
.name { display: flex; align-items: center; gap: 10px; margin-bottom: 26px; font-weight: 650; letter-spacing: 0.01em; }
.mark { width: 22px; height: 22px; fill: var(--open); }
h1 { align-items: end; font-size: clamp(36px, 4.4vw, 56px); line-height: 1.08; font-weight: 680; letter-spacing: -0.025em; text-wrap: balance; }
.lead { margin-top: 14px; max-width: 33em; color: var(--ink-soft); font-size: 17px; text-wrap: pretty; }
.lead b { color: var(--ink); font-weight: 600; }
.address {
  display: inline-flex; align-items: center; gap: 12px; max-width: 100%; margin-top: 18px; padding: 9px 14px;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); font-size: 14px; overflow-wrap: anywhere;
}
.lamp { flex: none; width: 10px; height: 10px; border-radius: 50%; background: var(--wait); transition: background 200ms; }
[data-door="open"] .lamp { background: var(--open); }
[data-door="shut"] .lamp, [data-door="lost"] .lamp { background: var(--shut); }

.plan { display: block; width: 100%; height: auto; max-height: 372px; overflow: visible; }
.plan path { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.plan-hachures { stroke: var(--line-firm); stroke-width: 1; opacity: 0.55; }
.plan .plan-ditch { fill: var(--ditch); stroke: var(--line-firm); stroke-width: 1; }
.plan .plan-wall { stroke: var(--ink); stroke-width: 2.25; fill: var(--paper); }
.plan-parapet { stroke: var(--line-firm); stroke-width: 1; }
.plan-gap { fill: var(--paper); }
.plan-road { stroke: var(--open); stroke-width: 1.5; stroke-dasharray: 2 5; stroke-linecap: round; transition: stroke 300ms; }
.plan-you { fill: var(--ground); stroke: var(--ink); stroke-width: 2; vector-effect: non-scaling-stroke; }
.plan-keep { fill: var(--sunk); stroke: var(--ink); stroke-width: 2; vector-effect: non-scaling-stroke; }
.plan-word { fill: var(--ink-soft); font: 11px var(--sans); text-anchor: middle; }
.plan-pid { fill: var(--ink); font: 600 12px var(--mono); }
.plan-traffic circle { fill: var(--open); }

/* The two leaves of the door. Open, they lie along the road inside; shut, they meet. */
.plan-leaf { transform-box: fill-box; transition: transform 420ms cubic-bezier(0.3, 0.9, 0.4, 1); }
.plan .plan-leaf path { stroke: var(--shut); stroke-width: 5; stroke-linecap: butt; transition: stroke 300ms; }
.plan-leaf-upper { transform-origin: 50% 0; transform: rotate(0); }
.plan-leaf-lower { transform-origin: 50% 100%; transform: rotate(0); }
[data-door="open"] .plan-leaf-upper, [data-door="empty"] .plan-leaf-upper { transform: rotate(-90deg); }
[data-door="open"] .plan-leaf-lower, [data-door="empty"] .plan-leaf-lower { transform: rotate(90deg); }
[data-door="open"] .plan-leaf path, [data-door="empty"] .plan-leaf path { stroke: var(--open); }
[data-door="waiting"] .plan-leaf path, [data-door="direct"] .plan-leaf path { stroke: var(--wait); }
[data-door="shut"] .plan-road, [data-door="lost"] .plan-road { stroke: var(--line-firm); }
[data-door="waiting"] .plan-road, [data-door="direct"] .plan-road { stroke: var(--wait); }

@media (max-width: 860px) {
  .hero { grid-template-columns: minmax(0, 1fr); gap: 4px; padding-top: 16px; }
  .name { margin-bottom: 16px; }
  .lead { font-size: 16px; }
  .address { margin-top: 14px; font-size: 13px; }
  .plan { max-height: 300px; margin-top: 6px; }
  .plan-word { font-size: 14px; }
  .plan-pid { font-size: 15px; }
}
@media (max-width: 640px) {
  .hero { padding-inline: 16px; }
}
`;
