import { clean } from './text.ts';

export interface BannerInput {
  readonly services: readonly { readonly name: string; readonly url: string }[];
  /** Absent when the certificate is one that clients know already. */
  readonly caFile?: string;
  /** Where the URLs' names must lead on this machine. */
  readonly address?: string;
  /** The demo application is served, because nobody named one. */
  readonly isDemo: boolean;
  /** How the CLI is called from here. */
  readonly cli?: string;
}

const OWN_PORT = 'npm start -- --service team/mybox/web=3000';

/** What `npm start` says once when all is serving. Commands stand alone on their lines, so that they can be copied whole. */
export function bannerLines({
  services,
  caFile,
  address = '127.0.0.1',
  isDemo,
  cli = 'npm run -s sallyport --',
}: BannerInput): string[] {
  const [first] = services;
  if (first === undefined) return ['Sallyport serves nothing yet. To serve a port of yours:', `  ${OWN_PORT}`].map(clean);
  const nameWidth = Math.max(...services.map(({ name }) => name.length));
  return [
    'Sallyport serves',
    '',
    ...services.map(({ name, url }) => `  ${name.padEnd(nameWidth)}  ${url}`),
    '',
    'Try next',
    ...(isDemo ? ['  Open the URL in a browser: the page shows what passes through the door.'] : []),
    '  End access, and see live streams close:',
    `    ${cli} service delete ${first.name}`,
    '  See how everything stands, and why a name is served or is not:',
    `    ${cli} service list`,
    `    ${cli} explain ${new URL(first.url).hostname}`,
    ...(isDemo ? ['  End this with Ctrl-C, and serve a port of your own:', `    ${OWN_PORT}`] : []),
    ...(caFile === undefined ? [] : ['', ...trustLines(first.url, caFile)]),
    '',
    ...nameLines(new URL(first.url), address, caFile === undefined ? '' : ` --cacert ${caFile}`),
  ].map(clean);
}

/** A browser asks once; everything else is told with a file. The CA is limited to the dev domain. */
const trustLines = (url: string, caFile: string): string[] => [
  'Trust its certificate',
  `  curl --cacert ${caFile} ${url}`,
  `  NODE_EXTRA_CA_CERTS=${caFile} node app.mjs`,
  '  Browser: go on past the warning, or import that file as an authority. It can sign for this domain only.',
];

/** Browsers and curl know *.localhost by themselves; most other programs do not, and nobody knows a domain that was made up. */
const nameLines = ({ href, hostname, port }: URL, address: string, trust: string): string[] => [
  hostname.endsWith('.localhost') ? 'Where *.localhost does not resolve' : `Where ${hostname} does not resolve`,
  `  curl --resolve ${hostname}:${port || 443}:${address}${trust} ${href}`,
  `  A line for /etc/hosts: ${address} ${hostname}`,
];
