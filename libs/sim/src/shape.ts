import type { Mode } from '@sallyport/authority';
import type { Random } from './random.ts';

/** How many of what there is in a world. Places are named by kind: g gateways, m shared members, d dedicated ones, r readers, c those who follow them, b boundaries. */
export interface Shape {
  readonly gateways: readonly string[];
  readonly members: readonly MemberShape[];
  readonly readers: readonly string[];
  /** Who follow discovery. */
  readonly consumers: readonly string[];
  readonly sandboxes: readonly SandboxShape[];
  /** True clocks and a network without surprises: for transcripts that people read. */
  readonly calm: boolean;
}

export interface SandboxShape {
  readonly workspace: string;
  readonly name: string;
  readonly mode: Mode;
  readonly pool: string;
  /** Whether its supervisors report what they have installed, so that it is published. */
  readonly published: boolean;
  /** Its application is behind a boundary. */
  readonly boundary: boolean;
}

export interface MemberShape {
  readonly place: string;
  readonly of: { readonly kind: 'pool'; readonly pool: string } | { readonly kind: 'sandbox'; readonly sandbox: string };
  readonly delivery: 'push' | 'poll';
  readonly advertises: boolean;
  /** The driver knows its Pod, and its container is started again there after a crash: the one before is certainly dead. */
  readonly staysInPod: boolean;
}

/** Small worlds: what goes wrong goes wrong with three sandboxes, and sooner. */
export function drawShape(random: Random): Shape {
  const delivery = (): 'push' | 'poll' => (random.chance(0.3) ? 'poll' : 'push');
  const sharedCount = random.int(2, 3);
  const twoPools = sharedCount === 3 && random.chance(0.2);
  const dedicated = random.chance(0.6);
  const poolOf = (index: number): string => (twoPools && index === 2 ? 'p1' : 'p0');
  const members: MemberShape[] = Array.from({ length: sharedCount }, (_, index) => ({
    place: `m${index}`,
    of: { kind: 'pool', pool: poolOf(index) },
    delivery: delivery(),
    advertises: true,
    staysInPod: random.chance(0.4),
  }));
  // A supervisor with its listener off reports nothing, and nothing of it is published.
  const advertises = random.chance(0.8);
  if (dedicated)
    // Two of them: the old one of a restarted Pod may still run.
    for (let index = 0; index < (random.chance(0.6) ? 2 : 1); index += 1)
      members.push({
        place: `d${index}`,
        of: { kind: 'sandbox', sandbox: 's2' },
        delivery: delivery(),
        advertises,
        staysInPod: random.chance(0.4),
      });
  return {
    gateways: Array.from({ length: random.int(2, 3) }, (_, index) => `g${index}`),
    members,
    readers: random.chance(0.3) ? ['r0', 'r1'] : ['r0'],
    consumers: random.chance(0.7) ? ['c0'] : [],
    sandboxes: [
      { workspace: 'team', name: 's0', mode: 'shared', pool: 'p0', published: true, boundary: random.chance(0.9) },
      {
        workspace: 'other',
        name: 's1',
        mode: 'shared',
        pool: twoPools ? 'p1' : 'p0',
        published: true,
        boundary: random.chance(0.7),
      },
      ...(dedicated
        ? [
            {
              workspace: 'team',
              name: 's2',
              mode: 'dedicated' as const,
              pool: '',
              published: advertises,
              boundary: random.chance(0.7),
            },
          ]
        : []),
    ],
    calm: false,
  };
}
