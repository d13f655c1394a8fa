import {
  extension,
  grease,
  hello,
  keyShares,
  nameEntry,
  padding,
  records,
  serverName,
  serverNames,
  versions,
} from './build-hello.ts';
import type { Random } from './random.ts';

/** Names that are looked for: some are served, and each mutation of one may turn it into another. */
export const NAMES = ['a.apps.test', 'b.apps.test', 'A.apps.test.', 'aa.apps.test', 'team--demo--web.apps.test', 'x'.repeat(63)];

/** The first bytes of one connection: a hello as clients send it, then some of what goes wrong. Up to a few segments. */
export function mutatedHello(random: Random): Uint8Array {
  const built = build(random);
  const message = random.chance(0.4) ? damaged(built, random) : built;
  const inRecords = records(message, random.pick([16_384, 16_384, 16_384, 512, 100, 7, 1]));
  let bytes = random.chance(0.3) ? Uint8Array.from(damaged([...inRecords], random)) : inRecords;
  if (random.chance(0.05))
    bytes = Uint8Array.from([...bytes, ...records(hello({ extensions: [serverName(random.pick(NAMES))] }))]);
  return random.chance(0.05) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

function build(random: Random): number[] {
  const name = random.pick(NAMES);
  const extensions: number[][] = [random.chance(0.85) ? serverName(name) : oddNames(name, random)];
  const add = (part: number[]): void => void extensions.splice(random.below(extensions.length + 1), 0, part);
  if (random.chance(0.7)) add(versions);
  if (random.chance(0.4)) add(grease(random.pick([0x0a0a, 0x1a1a, 0xfafa])));
  if (random.chance(0.06)) add(keyShares());
  if (random.chance(0.3)) add(padding(random.below(300)));
  if (random.chance(0.004)) add(padding(16_384 - random.below(1_500)));
  if (random.chance(0.05)) add(serverName(random.pick(NAMES)));
  if (random.chance(0.1)) add(extension(random.below(65_536), new Array(random.below(20)).fill(0)));
  return hello({
    sessionId: new Array(random.pick([0, 0, 32, 32, 32, 32, 32, 32, 32, 33])).fill(0),
    suites: new Array(2 * random.below(20)).fill(0x13),
    ...(random.chance(0.03) ? { extensions: undefined } : { extensions }),
  });
}

const oddNames = (name: string, random: Random): number[] =>
  random.pick([
    serverNames([nameEntry(name), nameEntry(random.pick(NAMES))]),
    serverNames([nameEntry(name, random.below(3))]),
    serverNames([nameEntry('', 0), nameEntry(name)]),
    serverNames([nameEntry(name, 0, name.length + random.below(5) - 2)]),
    serverNames([nameEntry(name)], name.length + random.below(8)),
    serverName(`${name}\0${random.pick(NAMES)}`),
    serverNames([]),
  ]);

/** One to four changes of single bytes, lengths, or stretches. */
function damaged(bytes: readonly number[], random: Random): number[] {
  let changed = [...bytes];
  for (let count = 1 + random.below(4); count > 0 && changed.length > 0; count -= 1) {
    // Where the lengths are: most bytes of a hello mean nothing here.
    const at = random.chance(0.5) ? random.below(Math.min(changed.length, 60)) : random.below(changed.length);
    const byte = changed[at] as number;
    switch (random.below(6)) {
      case 0:
        changed[at] = random.below(256);
        break;
      case 1:
        changed[at] = byte ^ (1 << random.below(8));
        break;
      case 2:
        changed[at] = (byte + random.pick([-2, -1, 1, 2]) + 256) % 256;
        break;
      case 3:
        changed.splice(at, 1 + random.below(4));
        break;
      case 4:
        changed.splice(at, 0, ...Array.from({ length: 1 + random.below(4) }, () => random.below(256)));
        break;
      default: {
        const from = random.below(changed.length);
        changed = [...changed.slice(0, at), ...changed.slice(from, from + 1 + random.below(40)), ...changed.slice(at)];
      }
    }
  }
  return changed;
}
