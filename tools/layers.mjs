/**
 * Who may import whom: the one table behind the lint rules in biome.json, the references in tsconfig files, the tests of the
 * borders and the check of the bundles. Apps are built from libs, io libs from pure libs; nothing points back.
 */

/** No clock, sockets, promises, npm or node: imports. Everything they need is an argument. */
export const pure = {
  model: [],
  http1: [],
  authority: ['model'],
  session: ['model', 'authority'],
  routes: ['model', 'authority'],
  catalog: ['model', 'authority'],
  'tls-hello': [],
};

/** Touches the system, and knows nothing of ours: io libs may stand on it. */
export const base = {
  files: [],
};

/** Each behind one small interface. */
export const io = {
  store: ['model'],
  process: ['model', 'files'],
  pki: ['model', 'files'],
  wire: ['model', 'authority', 'session', 'catalog'],
  proxy: ['model', 'authority', 'routes', 'http1', 'tls-hello'],
};

/** What two apps share and is itself made of io libs. */
export const joint = {
  view: ['model', 'authority', 'store', 'process', 'wire'],
  kube: ['model', 'authority', 'process', 'wire'],
};

const libs = Object.keys({ ...pure, ...base, ...io, ...joint });
const withoutStore = libs.filter((lib) => lib !== 'store' && !joint[lib]?.includes('store'));

/** Any lib that is not beside untrusted code; no other app, but for `dev`, which runs them all in one process. */
export const apps = {
  supervisor: withoutStore,
  driver: withoutStore,
  boundary: withoutStore,
  edge: withoutStore,
  cli: withoutStore,
  gateway: libs,
  discovery: libs,
  dev: [...libs, 'supervisor', 'gateway', 'driver', 'discovery'],
  /** Tests of the whole, and what they share: no product. */
  e2e: [...libs, 'supervisor', 'gateway', 'driver', 'discovery', 'boundary', 'edge', 'cli', 'dev'],
  /** Measures the data plane beside other proxies: no product either. */
  bench: [...withoutStore, 'supervisor'],
};

/** What runs the real apps for tests, whole; nobody may import it. */
export const worlds = {
  sim: [...libs, 'supervisor', 'gateway', 'driver', 'discovery', 'boundary'],
  /** One thread, all orders of events, to a bound. */
  states: [...libs, 'gateway'],
  /** Takes the rules out of all of these, and asks the tests, the worlds above and the states whether they see it. */
  mutants: [...libs, 'gateway', 'sim', 'states'],
};

export const layers = { ...pure, ...base, ...io, ...joint, ...apps, ...worlds };

export const folderOf = (name) => `${Object.hasOwn(apps, name) ? 'apps' : 'libs'}/${name}`;

export const packageOf = (name) => `@sallyport/${name}`;

export const isPure = (name) => Object.hasOwn(pure, name);

/** What may be neither imported nor bundled, with the reason that the reader of a refusal gets. */
const besideUntrustedCode = {
  '@sallyport/store': 'It runs beside untrusted code, so it holds no way to the store.',
  '@sallyport/view': 'It runs beside untrusted code, so it holds no way to the store.',
  etcd3: 'It runs beside untrusted code, so it holds no way to the store.',
};
export const forbidden = {
  supervisor: besideUntrustedCode,
  driver: besideUntrustedCode,
  boundary: besideUntrustedCode,
  edge: besideUntrustedCode,
  cli: besideUntrustedCode,
};

/** Globals that a pure lib does not use, each with what to do instead. */
const TIME = 'Time is an argument.';
const TIMERS = 'No timers: return what is due and when.';
const VALUES = 'Pure code returns values.';
const NOWHERE = 'Reaches nothing outside of its arguments.';
const IO = 'No I/O: return effects.';
export const deniedGlobals = {
  Date: TIME,
  Temporal: TIME,
  performance: TIME,
  setTimeout: TIMERS,
  setInterval: TIMERS,
  setImmediate: TIMERS,
  queueMicrotask: TIMERS,
  clearTimeout: TIMERS,
  clearInterval: TIMERS,
  clearImmediate: TIMERS,
  Promise: VALUES,
  AbortSignal: VALUES,
  AbortController: VALUES,
  WeakRef: 'What the collector does is no argument.',
  FinalizationRegistry: 'What the collector does is no argument.',
  globalThis: NOWHERE,
  global: NOWHERE,
  window: NOWHERE,
  self: NOWHERE,
  Function: NOWHERE,
  eval: NOWHERE,
  require: NOWHERE,
  process: 'Configuration and environment are arguments.',
  Buffer: 'Use Bytes: a Buffer is one.',
  console: IO,
  fetch: IO,
  WebSocket: IO,
  crypto: 'Digests, signatures and randomness are arguments.',
};
