import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HandGateway, startHandGateway } from './hand/hand-gateway.ts';
import { type Owning, ownByHand } from './hand/owning.ts';
import { type Stage, startStage } from './misuse/stage.ts';
import { until } from './rig/until.ts';

let stage: Stage;
let owning: Owning | undefined;
let old: HandGateway | undefined;
beforeEach(async () => {
  stage = await startStage();
});
afterEach(async () => {
  owning?.leave();
  await stage.close();
  await old?.close();
});

test('a supervisor of the release before, without capabilities: owns, is configured and kept fresh; is never challenged', async () => {
  owning = await ownByHand(stage, 'member-old', { capabilities: { advertisements: false, push: true } });
  expect((await owning.session.hear('ownership')).ownerEpoch).toBe(owning.ownerEpoch);
  owning.session.send({ $case: 'heartbeat', value: { sequence: 1n } });
  expect(await owning.session.hear('heartbeatAck')).toMatchObject({ sequence: 1n });
  expect(owning.session.heard('challenge')).toBe(false);
  expect(owning.session.heard('servingLease')).toBe(false);
});

test('a supervisor that leaves out what it does not know, and says what we do not know, is leased', async () => {
  owning = await ownByHand(stage, 'member-new');
  await owning.session.hear('ownership');
  // A kind of message of a later release is passed over; the session goes on.
  owning.session.send(undefined as never);
  owning.report(await owning.session.hear('challenge'));
  expect(await owning.session.hear('servingLease')).toMatchObject({ ownerEpoch: owning.ownerEpoch });
});

test('a gateway of another release, which leaves out new fields and sends what we do not know, is followed', async () => {
  old = await startHandGateway(stage.pki);
  const { supervisor } = await stage.supervise({ listens: true, gateway: old.target });
  await until('it serves', () => supervisor.servedHosts().length === 1, 60_000);
  expect(old.reports()).toBeGreaterThan(0);
  expect(supervisor.ready().every((check) => check.ok)).toBe(true);
});
