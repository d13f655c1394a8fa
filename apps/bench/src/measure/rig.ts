import { startLoadClient } from '../load/client.ts';
import { startOwn } from '../load/own-process.ts';
import { type RunningSubject, startSubject } from '../subjects/run-subject.ts';
import type { Subject } from '../subjects/subject.ts';
import { HOST, writeCertificate } from './certificate.ts';
import type { Cores } from './cores.ts';
import type { Rig } from './measure.ts';

/** Everything around the proxies: the certificate, the application, the load client; and the proxies themselves, once needed. */
export async function openRig(cores: Cores, folder: string): Promise<Rig & { close(): Promise<void> }> {
  const files = await writeCertificate(folder);
  const application = startOwn(cores.load, new URL('../application/main.ts', import.meta.url));
  const { port: appPort } = await application.next<{ readonly port: number }>();
  let client = startLoadClient(cores.load);
  const running = new Map<Subject, RunningSubject>();

  async function restarted(subject: Subject): Promise<RunningSubject> {
    await running.get(subject)?.stop();
    running.delete(subject);
    const started = await startSubject(subject, cores.proxy, { ...files, appPort, host: HOST });
    running.set(subject, started);
    return started;
  }

  return {
    restarted,
    async started(subject) {
      const present = running.get(subject);
      return present?.ended() === undefined && present !== undefined ? present : restarted(subject);
    },
    async mend(subject) {
      await running.get(subject)?.stop();
      running.delete(subject);
      client.stop();
      client = startLoadClient(cores.load);
    },
    targetOf: ({ port, usage }) => ({ cores, host: HOST, port, caFile: files.caFile, appPort, client, usage }),
    async close() {
      await Promise.all([...running.values()].map((each) => each.stop()));
      client.stop();
      application.stop();
    },
  };
}
