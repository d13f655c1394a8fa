/** What somebody met: a refusal of Sallyport, an answer of the application, or an error of their own client. */
export interface Trouble {
  /** Of Sallyport (`app_unreachable`), of Node (`ENOTFOUND`), of OpenSSL or of curl. */
  readonly code?: string;
  readonly status?: number;
  /** The reason in the log, the client's words, or the beginning of the application's answer. */
  readonly reason?: string;
  /** As in the URL, with its port if it has one. */
  readonly host?: string;
  readonly target?: string;
  /** `team/demo/web`; guessed from the host otherwise. */
  readonly service?: string;
  readonly caFile?: string;
  /** How the CLI is called from here. */
  readonly cli?: string;
}

interface Row {
  readonly when: (trouble: Told) => boolean;
  readonly mend: (trouble: Told) => string;
}

/** With nothing absent, so that the rows read as sentences. */
type Told = Readonly<Record<'code' | 'reason' | 'host' | 'target' | 'port' | 'service' | 'caFile' | 'cli', string>> & {
  readonly status: number;
};

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_CERT_AUTHORITY_INVALID',
  'SEC_ERROR_UNKNOWN_ISSUER',
  'CURLE_PEER_FAILED_VERIFICATION',
]);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ERR_NAME_NOT_RESOLVED', 'CURLE_COULDNT_RESOLVE_HOST']);

/** Vite, webpack, Angular, Django, Rails, Jupyter: each says it in other words. */
const REFUSES_HOST =
  /host.{0,120}(is not allowed|not permitted)|invalid (http_)?host|disallowed ?host|blocked hosts?\b|allowed_?hosts/i;
const REFUSES_ORIGIN =
  /origin.{0,120}(not allowed|mismatch|not match|denied|invalid|forbidden)|(invalid|blocked|blocking|cross)[- ]+origin|csrf/i;
/** An application says it at the beginning, and may say it in a page of megabytes. */
const REASON_LENGTH_MAX = 2_000;
const OWN_ANSWER = new Set([400, 403]);

/** The first row that fits gives the mend. Order matters: what says more stands first. */
const ROWS: readonly Row[] = [
  {
    when: ({ code, reason }) => code === 'app_unreachable' && reason.includes('one of our own'),
    mend: ({ target }) => `${target} is Sallyport’s own port. Name the port of your application.`,
  },
  {
    when: ({ code, reason }) => code === 'app_unreachable' && /listens?( only)? on \[?::1/.test(reason),
    mend: () => 'The application listens on ::1 only. Start it on 127.0.0.1 (for Vite: --host 127.0.0.1).',
  },
  {
    when: ({ code }) => code === 'app_unreachable',
    mend: ({ target, service, cli }) =>
      `Nothing listens on ${target}. Start the application, or name its real port:\n${cli} service expose ${service}=PORT`,
  },
  {
    when: ({ code }) => code === 'app_timeout',
    mend: ({ target }) =>
      `The application on ${target} takes the connection and does not answer. Is it busy, or stopped in a debugger?`,
  },
  {
    when: ({ code }) => code === 'app_protocol',
    mend: ({ target }) =>
      `${target} does not answer in plain HTTP/1.1. If it serves https, switch that off: Sallyport does the TLS.`,
  },
  {
    when: ({ code, status, reason }) => code === '' && OWN_ANSWER.has(status) && REFUSES_HOST.test(reason),
    mend: ({ service, port, cli }) =>
      `The application does not know this host name. Show it localhost instead:\n${cli} service expose ${service}=${port} --host-policy loopback`,
  },
  {
    when: ({ code, status, reason }) => code === '' && OWN_ANSWER.has(status) && REFUSES_ORIGIN.test(reason),
    mend: ({ service, port, cli }) =>
      `The application does not take this origin. Let it match:\n${cli} service expose ${service}=${port} --host-policy loopback --origin-policy match-host`,
  },
  {
    when: ({ code, status, reason }) => code === '' && status === 403 && reason === '',
    mend: ({ service, port, cli }) =>
      `The application itself refuses this. If it checks the host name:\n${cli} service expose ${service}=${port} --host-policy loopback`,
  },
  {
    when: ({ code, reason }) =>
      UNTRUSTED.has(code) || /self[- ]signed|unable to (get|verify)|certificate.*(trust|unknown authority)/i.test(reason),
    mend: ({ caFile, host }) =>
      `Your client does not know the CA:\ncurl --cacert ${caFile} https://${host}/\nNODE_EXTRA_CA_CERTS=${caFile} node app.mjs`,
  },
  {
    when: ({ code, reason }) => UNRESOLVED.has(code) || /could not resolve host/i.test(reason),
    mend: ({ host }) => `This name does not resolve here:\ncurl --resolve ${withPort(host)}:127.0.0.1 https://${host}/`,
  },
  {
    when: ({ code }) => code === 'over_limit',
    mend: () => 'Too much is open at one time. Close what you do not need, or raise the --max-… flag that the reason names.',
  },
  {
    when: ({ code }) => code === 'not_fresh',
    mend: ({ host, cli }) =>
      `The leave to serve was not renewed, or a new supervisor waits for it. It returns by itself once the gateway answers; if not:\n${cli} explain ${nameOf(host)}`,
  },
  {
    when: ({ code }) => code === 'lease_expired',
    mend: ({ host, cli }) =>
      `The lease of 15 s was not renewed. It returns by itself once the gateway answers; if not:\n${cli} explain ${nameOf(host)}`,
  },
  {
    when: ({ code }) => code === 'draining',
    mend: () => 'The supervisor is ending or handing over. Try again in a second.',
  },
  {
    when: ({ code, reason }) => code === 'route_withdrawn' && reason.includes('rejected'),
    mend: ({ service, cli }) =>
      `The supervisor did not take the newest declaration. Declare another:\n${cli} service expose ${service}=PORT`,
  },
  {
    when: ({ code }) => code === 'route_withdrawn',
    mend: ({ service, port, cli }) => `The service was deleted. Bring it back:\n${cli} service expose ${service}=${port}`,
  },
  {
    when: ({ code }) => code === 'route_unknown',
    mend: ({ cli }) => `Nobody declared this name. See what there is:\n${cli} service list`,
  },
  {
    when: ({ code }) => code === 'host_mismatch',
    mend: () => 'The Host field and the TLS server name differ. Give your client one name for both (curl: the name in the URL).',
  },
  {
    when: ({ code }) => code === 'headers_too_large',
    mend: () => 'Too many or too long header fields. Old cookies are the usual cause: clear those of this host.',
  },
];

/** The mend for a typical mistake: a short sentence or two, and each command on a line of its own. Undefined: nothing to say. */
export function hintFor(trouble: Trouble): string | undefined {
  const told = tell(trouble);
  return ROWS.find(({ when }) => when(told))?.mend(told);
}

function tell({
  code = '',
  status = 0,
  reason = '',
  host = 'HOST',
  target = 'its port',
  service,
  caFile = 'FILE',
  cli = 'sallyport',
}: Trouble): Told {
  const port = /:(\d+)$/.exec(target)?.[1] ?? 'PORT';
  return {
    code,
    status,
    reason: reason.slice(0, REASON_LENGTH_MAX),
    host,
    target,
    port,
    service: service ?? serviceOf(host),
    caFile,
    cli,
  };
}

/** `team--demo--web.apps.localhost` is `team/demo/web`; a hashed label tells nothing. */
function serviceOf(host: string): string {
  const names = (host.split('.', 1)[0] ?? '').split('--');
  return names.length === 3 && names.every((name) => name !== '') ? names.join('/') : 'WORKSPACE/SANDBOX/SERVICE';
}

const nameOf = (host: string): string => host.replace(/:\d+$/, '');
const withPort = (host: string): string => (/:\d+$/.test(host) ? host : `${host}:443`);
