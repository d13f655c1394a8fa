import { DOOR, ditch, hachures, KEEP, parapet, ROAD_HALF_WIDTH, wall } from './fort.ts';

const [doorX, roadY] = DOOR;
const YOU_X = 34;
const KEEP_HALF = 31;
const keepX = KEEP[0];

/** The plan in the head of the page: you, the road, the door, and the process in the keep. Decoration with the words beside it. */
export const drawing = (pid: number): string => `
<svg class="plan" viewBox="0 0 480 330" aria-hidden="true" focusable="false">
  <path class="plan-hachures" d="${hachures()}"/>
  <path class="plan-ditch" d="${ditch()}"/>
  <path class="plan-wall" d="${wall()}"/>
  <path class="plan-parapet" d="${parapet()}"/>
  <rect class="plan-gap" x="${doorX - 4}" y="${roadY - ROAD_HALF_WIDTH}" width="18" height="${2 * ROAD_HALF_WIDTH}"/>
  <path class="plan-road plan-road-outside" d="M${YOU_X + 12} ${roadY}H${doorX}"/>
  <path class="plan-road plan-road-inside" d="M${doorX} ${roadY}H${keepX - KEEP_HALF}"/>
  <g class="plan-leaf plan-leaf-upper"><path d="M${doorX} ${roadY - ROAD_HALF_WIDTH}v${ROAD_HALF_WIDTH - 0.5}"/></g>
  <g class="plan-leaf plan-leaf-lower"><path d="M${doorX} ${roadY + ROAD_HALF_WIDTH}v${-ROAD_HALF_WIDTH + 0.5}"/></g>
  <g class="plan-traffic" data-from="${YOU_X + 16}" data-to="${keepX - KEEP_HALF - 3}" data-y="${roadY}"></g>
  <circle class="plan-you" cx="${YOU_X}" cy="${roadY}" r="8"/>
  <rect class="plan-keep" x="${keepX - KEEP_HALF}" y="${roadY - KEEP_HALF}" width="${2 * KEEP_HALF}" height="${2 * KEEP_HALF}"/>
  <text class="plan-word" x="${YOU_X}" y="${roadY - 20}">you</text>
  <text class="plan-word" x="${keepX}" y="${roadY - 2}">process</text>
  <text class="plan-word plan-pid" x="${keepX}" y="${roadY + 14}">${pid}</text>
</svg>`;

/** The same door, small: for the tab and beside the name. */
export const mark = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path d="M4 29V13l4-3 4 3V9l4-4 4 4v4l4-3 4 3v16h-8v-6a4 4 0 0 0-8 0v6z"/></svg>`;

export const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#12332c"/><path fill="#7fe0c1" d="M6 26V14l3.500-2.500L13 14v-3.500L16 8l3 2.500V14l3.500-2.500L26 14v12h-6.500v-4.500a3.500 3.500 0 0 0-7 0V26z"/></svg>',
)}`;
