/**
 * A fort as engineers drew it: six bastions, a ditch, hachures down the glacis. Computed and not pasted, so that a line
 * can be moved; one side faces the left, where the sallyport is.
 */
type Point = readonly [x: number, y: number];

const CENTRE: Point = [322, 165];
const SIDES = 6;
const STEP = (2 * Math.PI) / SIDES;

interface Trace {
  /** From the centre to a corner of the curtain, to the point of a bastion. */
  readonly corner: number;
  readonly salient: number;
  /** From the corner along the curtain to the neck of the bastion, and its length outward. */
  readonly neck: number;
  readonly flank: number;
}

const WALL: Trace = { corner: 96, salient: 138, neck: 24, flank: 17 };
/** How far inside the wall its second line runs. */
const PARAPET_INSIDE = 7;
const DITCH = { salient: 152, middle: 117 } as const;
const HACHURE = { gap: 6.2, long: 10, short: 5.5 } as const;

/** Where the road from outside meets the wall. */
export const DOOR: Point = [CENTRE[0] - WALL.corner * Math.cos(STEP / 2), CENTRE[1]];
export const KEEP: Point = CENTRE;
export const ROAD_HALF_WIDTH = 11;

export const wall = (): string => closed(trace(WALL));
export const parapet = (): string => closed(inset(trace(WALL), PARAPET_INSIDE));
export const ditch = (): string => closed(counterscarp());

/** Short strokes down the slope, none where the road runs. */
export function hachures(): string {
  const edge = counterscarp();
  let path = '';
  for (const [i, from] of edge.entries()) {
    const to = edge[(i + 1) % edge.length] as Point;
    const along = unit(from, to);
    const out: Point = [along[1], -along[0]];
    const count = Math.round(distance(from, to) / HACHURE.gap);
    for (let j = 1; j < count; j++) {
      const foot = move(move(from, along, (distance(from, to) * j) / count), out, 3);
      if (foot[0] < CENTRE[0] && Math.abs(foot[1] - CENTRE[1]) < ROAD_HALF_WIDTH + 3) continue;
      const length = j % 2 === 0 ? HACHURE.long : HACHURE.short;
      path += `M${show(foot)}l${show([out[0] * length, out[1] * length])}`;
    }
  }
  return path;
}

const corners = Array.from({ length: SIDES }, (_, k) => STEP * (k + 0.5));

function trace({ corner, salient, neck, flank }: Trace): Point[] {
  return corners.flatMap((angle) => {
    const at = polar(corner, angle);
    const before = unit(at, polar(corner, angle - STEP));
    const after = unit(at, polar(corner, angle + STEP));
    const neckBefore = move(at, before, neck);
    const neckAfter = move(at, after, neck);
    return [
      neckBefore,
      move(neckBefore, heading(angle - STEP / 2), flank),
      polar(salient, angle),
      move(neckAfter, heading(angle + STEP / 2), flank),
      neckAfter,
    ];
  });
}

/** Each edge moved inward, and the edges joined again where they now meet. */
function inset(points: readonly Point[], by: number): Point[] {
  const at = (i: number): Point => points[(i + points.length) % points.length] as Point;
  return points.map((point, i) => {
    const before = unit(at(i - 1), point);
    const after = unit(point, at(i + 1));
    // The corner moves along the bisector of both normals, the further the sharper it is.
    const normals: Point = [-before[1] - after[1], before[0] + after[0]];
    const stretch = (2 * by) / (normals[0] ** 2 + normals[1] ** 2);
    return move(point, normals, stretch);
  });
}

const counterscarp = (): Point[] =>
  corners.flatMap((angle) => [polar(DITCH.middle, angle - STEP / 2), polar(DITCH.salient, angle)]);

const heading = (angle: number): Point => [Math.cos(angle), Math.sin(angle)];
const polar = (radius: number, angle: number): Point => move(CENTRE, heading(angle), radius);
const move = ([x, y]: Point, [dx, dy]: Point, by: number): Point => [x + dx * by, y + dy * by];
const distance = (a: Point, b: Point): number => Math.hypot(b[0] - a[0], b[1] - a[1]);
const unit = (a: Point, b: Point): Point => [(b[0] - a[0]) / distance(a, b), (b[1] - a[1]) / distance(a, b)];
const round = (n: number): number => Math.round(n * 10) / 10;
const show = ([x, y]: Point): string => `${round(x)} ${round(y)}`;
const closed = (points: readonly Point[]): string => `M${points.map(show).join('L')}Z`;
