/**
 * The data plane: one TLS listener for the whole process, the instances behind it, and how an exchange or a WebSocket
 * tunnel goes from a client to an application on loopback, for as long as the instance may serve and not a byte longer.
 *
 * How a supervisor wires it:
 *
 *     const instances = createInstances({ clock });
 *     const forbiddenPorts = new Set([adminPort]);                 // may grow: the listener's own port joins below
 *     const certificates = await watchCertificates({ pairs: [{ certFile, keyFile }], clock, onProblem, onSwapped });
 *     if (!certificates.ok) throw new Error(certificates.error);
 *     const listener = await listenForApps({
 *       address: '::', port: 8443, certificates: certificates.value, instances, limits: DEFAULT_LIMITS,
 *       trusted: NO_CIDRS, clock, onExchange: (record) => log.info(record), onConnection: (event) => count(event),
 *     });
 *     forbiddenPorts.add(listener.port);
 *
 *     // For each sandbox that this member is assigned:
 *     const instance = instances.start({
 *       sandboxId, mode: 'dedicated', limits: DEFAULT_LIMITS,
 *       connector: createLoopback({ clock, forbiddenPorts, dialMs: DEFAULT_LIMITS.dialMs }),
 *     });
 *
 *     // When a configuration arrives; one turn, no await between:
 *     const taken = configuration.services.find(({ host }) => ![undefined, sandboxId].includes(instances.claims(host)));
 *     if (taken !== undefined) return reject(`${taken.host} belongs to another sandbox`);
 *     const installed = install(table, configuration.services);
 *     table = installed.table;
 *     instance.update(table, standing);
 *     instance.withdraw(installed.withdrawn, 'withdrawn');
 *
 *     // When the standing changes (freshness, lease, acknowledged, released):
 *     standing = { ...standing, freshUntil };
 *     instance.update(table, standing);
 *
 *     // The end of one sandbox, and of the process:
 *     instance.stop('stopped');
 *     await listener.drain(10_000);
 *     certificates.value.stop();
 *
 * The listener looks for outlived streams and silent connections twice a second by itself; `instances.sweep(now)` may be
 * called more exactly at a deadline. Both only tidy up: every chunk is checked against the standing when it is forwarded.
 */
export {
  type CertificateFiles,
  type Certificates,
  type WatchCertificatesOptions,
  watchCertificates,
} from './certificate-watch.ts';
export { addressBytes, type CidrSet, NO_CIDRS, normaliseAddress, parseCidrs } from './cidr.ts';
export { type ClientCounts, createClientCounts } from './client-counts.ts';
export type { Clock } from './clock.ts';
export type { Connector, DialFailure } from './connector.ts';
export type { Instance, InstanceCounters, InstanceOptions } from './instance.ts';
export { createInstances, type Instances } from './instances.ts';
export { lend } from './lend.ts';
export { DEFAULT_LIMITS, KEEPALIVE_AFTER_MS, type Limits, TICK_MS } from './limits.ts';
export { type Listener, type ListenerOptions, listenForApps } from './listener.ts';
export { createLoopback, type LoopbackOptions } from './loopback.ts';
export { type ProxyHeader, parseProxyHeader } from './proxy-protocol.ts';
export type { ConnectionEvent, Ending, ExchangeRecord } from './records.ts';
export type { CloseReason } from './streams.ts';
