import { execFileSync } from 'node:child_process';
import { createNumbers, type GuardRule, type Place, type Places } from './places.ts';

/** Bridges of this kind, numbered: several runs may go on at once, each with a subnet of its own. */
const BRIDGE = 'sp-e2e-';
const BRIDGES_MAX = 100;
/** Rules of the kernel's routing, before its own main table. */
const ALLOW_PREF = 100;
const DENY_PREF = 200;

const ip = (...args: (string | number)[]): string =>
  execFileSync('ip', args.map(String), { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
const attempt = (...args: (string | number)[]): boolean => {
  try {
    ip(...args);
    return true;
  } catch {
    return false;
  }
};

/** Why there can be none here, with what mends it; undefined: there can. */
export function namespacesMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs network namespaces: run as root';
  if (!attempt('-V')) return 'apt-get install -y iproute2';
  const name = `${BRIDGE}try-${process.pid}`;
  const can = attempt('netns', 'add', name);
  attempt('netns', 'del', name);
  return can ? undefined : 'needs network namespaces: run with CAP_SYS_ADMIN and CAP_NET_ADMIN';
}

/**
 * A network namespace for each Pod, joined by a bridge of this machine; the control plane runs at addresses of the bridge itself.
 * What a policy denies is dropped by routing rules in the Pod's own namespace: its answers from that port lead nowhere.
 */
export function namespacePlaces(): Places {
  sweep();
  const number = Array.from({ length: BRIDGES_MAX }, (_, n) => n).find((n) =>
    attempt('link', 'add', `${BRIDGE}${n}`, 'type', 'bridge'),
  );
  if (number === undefined) throw new Error(`${BRIDGES_MAX} bridges are in use`);
  const bridge = `${BRIDGE}${number}`;
  const subnet = `10.88.${number}`;
  // Whose it is, for whoever sweeps.
  ip('link', 'set', bridge, 'alias', process.pid);
  // Else it is that of one of its ports, and changes when that Pod ends: all others would be cut off for a while.
  ip('link', 'set', bridge, 'address', macOf(`${subnet}.1`));
  ip('addr', 'add', `${subnet}.1/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  const numbers = createNumbers(10, 250, (n) => `${subnet}.${n}`);
  return {
    subnet,
    isFree: numbers.isFree,
    open(wanted, isControlPlane) {
      const address = numbers.take(wanted);
      const place = isControlPlane ? onBridge(bridge, address) : inNamespace(bridge, address, `${subnet}.1`);
      return {
        ...place,
        close() {
          place.close();
          numbers.giveBack(address);
        },
      };
    },
    close: () => removeBridge(bridge),
  };
}

function onBridge(bridge: string, address: string): Place {
  const add = (): void => void attempt('addr', 'add', `${address}/32`, 'dev', bridge);
  const remove = (): void => void attempt('addr', 'del', `${address}/32`, 'dev', bridge);
  add();
  return { address, inside: (command) => command, cut: remove, mend: add, guard: () => undefined, close: remove };
}

function inNamespace(bridge: string, address: string, gate: string): Place {
  const last = address.split('.').at(-1);
  const name = `${bridge}-${last}`;
  const end = `${bridge}v${last}`;
  ip('netns', 'add', name);
  ip('link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  ip('link', 'set', end, 'master', bridge, 'up');
  // One for each address: neighbours remember it, and clusters route to Pods without asking for theirs.
  ip('-n', name, 'link', 'set', 'eth0', 'address', macOf(address));
  ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  for (const device of ['eth0', 'lo']) ip('-n', name, 'link', 'set', device, 'up');
  const rule = (...args: (string | number)[]): void => void ip('-n', name, 'rule', 'add', ...args);
  return {
    address,
    inside: (command) => ['ip', 'netns', 'exec', name, ...command],
    cut: () => void attempt('link', 'set', end, 'down'),
    mend: () => void attempt('link', 'set', end, 'up'),
    guard(rules: readonly GuardRule[]) {
      for (const pref of [ALLOW_PREF, DENY_PREF]) while (attempt('-n', name, 'rule', 'del', 'pref', pref));
      for (const { port, from } of rules) {
        // This machine looks whether the Pod is ready, as a kubelet does.
        for (const source of [gate, ...from])
          rule('pref', ALLOW_PREF, 'to', `${source}/32`, 'ipproto', 'tcp', 'sport', port, 'lookup', 'main');
        rule('pref', DENY_PREF, 'ipproto', 'tcp', 'sport', port, 'blackhole');
      }
    },
    close() {
      // Its end outlives the namespace for a moment, and the next Pod may have the same address.
      attempt('link', 'del', end);
      attempt('netns', 'del', name);
    },
  };
}

const macOf = (address: string): string =>
  ['02', '00', ...address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))].join(':');

function removeBridge(bridge: string): void {
  for (const line of ip('netns', 'list').split('\n')) {
    const [name = ''] = line.split(' ');
    if (name.startsWith(`${bridge}-`)) attempt('netns', 'del', name);
  }
  attempt('link', 'del', bridge);
}

/** What runs that were killed have left. */
function sweep(): void {
  const links = JSON.parse(ip('-json', 'link', 'show', 'type', 'bridge') || '[]') as { ifname?: string; ifalias?: string }[];
  for (const { ifname = '', ifalias } of links)
    if (/^sp-e2e-\d+$/.test(ifname) && ifalias !== undefined && !isAlive(Number(ifalias))) removeBridge(ifname);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
