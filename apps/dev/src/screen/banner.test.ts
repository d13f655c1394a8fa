import { expect, test } from 'vitest';
import { bannerLines } from './banner.ts';
import { terminalKind } from './terminal-kind.ts';

const services = [{ name: 'team/demo/web', url: 'https://team--demo--web.apps.localhost:8443/' }];

test('the demo: the URL, what to try next, how to trust it', () => {
  expect(bannerLines({ services, caFile: 'ca.pem', isDemo: true, cli: 'sallyport' })).toEqual([
    'Sallyport serves',
    '',
    '  team/demo/web  https://team--demo--web.apps.localhost:8443/',
    '',
    'Try next',
    '  Open the URL in a browser: the page shows what passes through the door.',
    '  End access, and see live streams close:',
    '    sallyport service delete team/demo/web',
    '  See how everything stands, and why a name is served or is not:',
    '    sallyport service list',
    '    sallyport explain team--demo--web.apps.localhost',
    '  End this with Ctrl-C, and serve a port of your own:',
    '    npm start -- --service team/mybox/web=3000',
    '',
    'Trust its certificate',
    '  curl --cacert ca.pem https://team--demo--web.apps.localhost:8443/',
    '  NODE_EXTRA_CA_CERTS=ca.pem node app.mjs',
    '  Browser: go on past the warning, or import that file as an authority. It can sign for this domain only.',
    '',
    'Where *.localhost does not resolve',
    '  curl --resolve team--demo--web.apps.localhost:8443:127.0.0.1 --cacert ca.pem https://team--demo--web.apps.localhost:8443/',
    '  A line for /etc/hosts: 127.0.0.1 team--demo--web.apps.localhost',
  ]);
});

test('somebody’s own service needs neither the demo’s words nor a CA that is known already', () => {
  const lines = bannerLines({ services, isDemo: false }).join('\n');
  expect(lines).not.toMatch(/browser|certificate|npm start/i);
  expect(lines).toContain('npm run -s sallyport -- service list');
});

test('a domain that is nobody’s: the name needs help whoever asks', () => {
  const own = [{ name: 'team/box', url: 'https://team--box.apps.test/' }];
  expect(bannerLines({ services: own, isDemo: false, address: '192.0.2.7' }).slice(-3)).toEqual([
    'Where team--box.apps.test does not resolve',
    '  curl --resolve team--box.apps.test:443:192.0.2.7 https://team--box.apps.test/',
    '  A line for /etc/hosts: 192.0.2.7 team--box.apps.test',
  ]);
});

test('nothing served: how to begin', () => {
  expect(bannerLines({ services: [], isDemo: false })).toContain('  npm start -- --service team/mybox/web=3000');
});

const kinds: [title: string, env: Record<string, string>, isTTY: boolean, want: [isTerminal: boolean, color: boolean]][] = [
  ['a terminal', { TERM: 'xterm' }, true, [true, true]],
  ['NO_COLOR', { NO_COLOR: '1' }, true, [true, false]],
  ['an empty NO_COLOR', { NO_COLOR: '' }, true, [true, true]],
  ['a dumb terminal', { TERM: 'dumb' }, true, [false, false]],
  ['a pipe', { TERM: 'xterm' }, false, [false, false]],
];
test.each(kinds)('%s', (_title, env, isTTY, [isTerminal, color]) => {
  expect(terminalKind(env, isTTY)).toEqual({ isTerminal, color });
});
