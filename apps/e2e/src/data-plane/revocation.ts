import { equal, ok } from 'node:assert/strict';
import { startApp } from '../stage/app.ts';
import { HOST, HOST_B } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { measure, startLoad, streaming } from './load.ts';
import { startSupervisorChild } from './start-child.ts';

/**
 * Withdraws a route under `count` open tunnels and as many streaming answers, while another route of the same sandbox has
 * `count` of both together. What is measured is what the clients see, in a process of their own.
 */
export async function measureRevocation(count: number) {
  const [supervisor, web, api] = await Promise.all([startSupervisorChild(), startApp('web'), startApp('api')]);
  const load = startLoad();
  try {
    for (const app of [web, api]) streaming(app);
    await supervisor.serve('case', { web: web.port, api: api.port });
    const target = { port: supervisor.port, ca: supervisor.ca };
    const doomed = await load.open({ ...target, host: HOST, tunnelCount: count, streamCount: count });
    equal(doomed.failures[0], undefined);
    const other = await load.open({ ...target, host: HOST_B, tunnelCount: count / 2, streamCount: count / 2 });
    equal(other.failures[0], undefined);
    equal((await supervisor.ask('counters')).liveStreamCount, 3 * count);

    const { atNs, cpuMs } = await supervisor.serve('case', { api: api.port });
    const report = await load.allEnded(HOST);
    await until('the application is left too', () => web.connections.every((each) => each.ended() || each.closed()), 5_000);

    const untouched = await load.report(HOST_B);
    equal(untouched.openCount, count, 'the other route keeps all of its own');
    equal((await supervisor.ask('counters')).liveStreamCount, count);
    for (const { socket } of api.connections) socket.write('2\r\nho\r\n');
    ok(api.connections.every((each) => !each.ended() && !each.closed()));
    return { cpuMs, tunnels: measure(atNs, report.tunnelsEndedAtNs), streams: measure(atNs, report.streamsEndedAtNs) };
  } finally {
    load.stop();
    await Promise.all([supervisor.stop(), web.close(), api.close()]);
  }
}
