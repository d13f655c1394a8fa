import { LONG_AGO } from '@sallyport/model';
import { judgeFence, shownUntil } from './eligibility.ts';
import type { ClauseName, Facts, Finding } from './explain.ts';
import { inScope } from './scope.ts';

const holds = (detail: string): Finding => ({ holds: true, detail });
const fails = (detail: string, nextStep: string): Finding => ({ holds: false, detail, nextStep });
const WAIT = 'wait: it mends itself within a few seconds';
const STATUS = 'see which supervisors there are: sallyport status';

/** In the order in which they are judged; what comes before them is a matter of names. */
export const CLAUSES: readonly (readonly [ClauseName, (facts: Facts) => Finding])[] = [
  ['configuration', configuration],
  ['session', session],
  ['runtime', runtime],
  ['credential', credential],
  ['owner', owner],
  ['member', member],
  ['endpoint', endpoint],
  ['report', report],
  ['renewal', renewal],
  ['grant', grant],
];

function configuration({ config, installation, owner: held, ref }: Facts): Finding {
  const { revision } = config.value;
  const installed = installation?.value;
  const isOwners = held?.value.kind === 'owned' && installed?.memberId === held.value.by;
  if (installed !== undefined && isOwners && installed.fence.config !== config.modRevision) {
    return fails(
      `revision ${revision} is declared, its supervisor has revision ${installed.configRevision} installed`,
      `wait a few seconds; if it stays so the supervisor has rejected it: sallyport service get ${ref}`,
    );
  }
  return holds(`revision ${revision}`);
}

function session({ world, sandbox, memberId, session: held, installation }: Facts): Finding {
  const { mode, poolId } = sandbox.value;
  if (held === undefined || memberId === undefined) {
    return fails(
      'no supervisor has a session about the sandbox',
      mode === 'dedicated'
        ? 'start its supervisor, with the token of its registration, and look at its log'
        : `check that a supervisor of pool ${poolId} runs and reaches a gateway: sallyport status`,
    );
  }
  if (installation !== undefined && world.generation?.value !== installation.value.fence.generation)
    return fails('the store was restored: sessions of before do not count', 'wait: supervisors open new ones');
  return holds(`supervisor ${memberId} has a session with gateway ${held.value.gatewayId}`);
}

function runtime({ sandbox, session: held }: Facts): Finding {
  const { runtimeId } = sandbox.value;
  return held?.value.runtimeId === runtimeId
    ? holds(`the session is about the present life of the workload, ${runtimeId}`)
    : fails(
        `the workload began another life, ${runtimeId}; the session is about ${held?.value.runtimeId ?? 'none'}`,
        'wait: the supervisor opens a session for it; if it does not, restart the supervisor',
      );
}

function credential({ world, sandboxId, session: held, sandbox }: Facts): Finding {
  const epoch = world.credentials.get(sandboxId)?.value;
  if (epoch !== undefined && held?.value.credentialEpoch === epoch) return holds(`credentials of epoch ${epoch}`);
  return fails(
    `the session rests on credentials of epoch ${held?.value.credentialEpoch ?? 'none'}, which were revoked`,
    sandbox.value.mode === 'dedicated' ? 'give the supervisor the new token of the sandbox' : WAIT,
  );
}

function owner({ owner: held, sandbox }: Facts): Finding {
  const { poolId } = sandbox.value;
  switch (held?.value.kind) {
    case 'owned':
      return holds(`supervisor ${held.value.by} owns it, epoch ${held.value.epoch}`);
    case 'offered':
      return fails(
        `it is offered to supervisor ${held.value.to}, which has not taken it yet`,
        `${WAIT}; if it stays so, look at that supervisor's log`,
      );
    case 'fencing':
      return fails(
        `its supervisor ${held.value.from} was lost; another takes over once it surely serves no more`,
        'wait, up to 17 s if shared and 33 s if dedicated',
      );
    case 'released':
    case undefined:
      return fails('no supervisor owns it', `start a supervisor of pool ${poolId}, or make room in one: sallyport status`);
  }
}

function member({ world, sandbox, memberId }: Facts): Finding {
  const { poolId } = sandbox.value;
  const held = memberId === undefined ? undefined : world.members(poolId).get(memberId);
  if (held === undefined) return fails(`supervisor ${memberId ?? ''} is no member of pool ${poolId}`, STATUS);
  if (!held.value.ready)
    return fails(`supervisor ${memberId} is not ready`, "look at the supervisor's /readyz, and at its certificates");
  return holds(`supervisor ${memberId} is ready${held.value.draining ? ', and draining' : ''}`);
}

/** Before the report: a supervisor that cannot be dialled makes none. */
function endpoint({ world, sandbox, installation, memberId }: Facts): Finding {
  if (memberId === undefined || installation?.value.memberId !== memberId) {
    const port = memberId === undefined ? 0 : (world.members(sandbox.value.poolId).get(memberId)?.value.appPort ?? 0);
    return port === 0
      ? fails(
          `supervisor ${memberId ?? ''} has its listener off: there is nothing to dial`,
          'start it with --app-listen, and the certificate for its applications',
        )
      : holds(`supervisor ${memberId} listens at port ${port}; its address comes with its report`);
  }
  const { address, port, podUid } = installation.value.endpoint;
  const at = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return holds(podUid === '' ? at : `${at}, Pod ${podUid}`);
}

function report({ world, sandboxId, host, installation, memberId, ref }: Facts): Finding {
  if (installation === undefined) {
    return fails(
      `no report of supervisor ${memberId ?? ''} is on record: it has not installed the routes, or the driver names no endpoint for it`,
      `see what the gateway says: sallyport service get ${ref}`,
    );
  }
  const { value } = installation;
  const judged = judgeFence(world, sandboxId);
  if (!judged.ok) {
    return fails(
      value.memberId === memberId
        ? `the report on record rests on an earlier ${judged.error}`
        : `the report on record is of supervisor ${value.memberId}, an earlier owner`,
      `wait for the next report, 5 s; if it stays so, look at the log of supervisor ${memberId ?? ''}`,
    );
  }
  if (!value.routes.some((route) => route.host === host))
    return fails(
      'the supervisor has the sandbox installed, but not this host',
      `${WAIT}; if it stays so: sallyport service get ${ref}`,
    );
  return holds(`installed, as revision ${value.configRevision}`);
}

function renewal({ world, evidence, session: held, now }: Facts): Finding {
  const until = held === undefined ? LONG_AGO : shownUntil(evidence.until(held.value));
  if (until > now) return holds(`certain for another ${((until - now) / 1_000).toFixed(1)} s, and renewed each 5 s`);
  if (held !== undefined && !world.gateways.has(held.value.gatewayId))
    return fails('the gateway that renewed it is gone', 'wait: the supervisor opens a session with another');
  return fails(
    until === LONG_AGO ? 'no renewal was heard of lately' : `its renewal ran out ${((now - until) / 1_000).toFixed(1)} s ago`,
    'check that its gateway runs and reaches the store (sallyport status), and that the supervisor answers',
  );
}

function grant({ reader, sandbox }: Facts): Finding {
  const { workspace } = sandbox.value;
  if (reader === undefined) return holds('operators need none');
  if (inScope(reader.scope, workspace)) return holds(`${reader.principal} may see ${workspace}`);
  return fails(
    `${reader.principal} may not see ${workspace}`,
    `grant it, beside what it has: sallyport grant set ${reader.principal} ${workspace} …`,
  );
}
