import { type Fault, type Strike, say, seconds, span } from './strike.ts';

function storeOutage(strike: Strike): void {
  const { world, random } = strike;
  const ms = span(random, 500, 60_000);
  say(strike, `stops the store for ${seconds(ms)}`);
  world.coverage['store outages'] += 1;
  world.store.stop(ms);
}

function leader(strike: Strike): void {
  const { world, random } = strike;
  say(strike, 'makes the store elect another leader');
  world.coverage['leaders changed'] += 1;
  world.store.changeLeader(span(random, 100, 3_000));
}

function compact(strike: Strike): void {
  say(strike, 'compacts the history of the store');
  strike.world.store.compact();
}

export const storeTroubles: readonly Fault[] = [
  { name: 'store outage', strike: storeOutage },
  { name: 'leader', strike: leader },
  { name: 'compaction', strike: compact },
];
