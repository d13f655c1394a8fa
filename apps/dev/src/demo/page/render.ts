import { createHash } from 'node:crypto';
import type { Remembered } from '../memory.ts';
import type { SeenRequest } from '../seen-request.ts';
import type { Advice } from './advice.ts';
import { icon } from './drawing.ts';
import { body } from './markup.ts';
import { script } from './script/index.ts';
import { style } from './style/index.ts';

export interface Page {
  readonly advice: Advice;
  readonly headers: Record<string, string>;
}

/** Only what stands in this page may run or be loaded: the strictest policy that it can have. */
const POLICY = [
  "default-src 'none'",
  `script-src '${digest(script)}'`,
  `style-src '${digest(style)}'`,
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const createPage = (advice: Advice): Page => ({
  advice,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
});

/** All that is known is in it from the first byte: nothing moves when the script begins, and without one it can be read. */
export const renderPage = ({ advice }: Page, remembered: Remembered, seen: SeenRequest): string => `<!doctype html>
<html lang="en" data-door="${seen.cameThroughDoor ? 'open' : 'direct'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sallyport demo</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
${body({ advice, remembered, seen })}
<script type="module">${script}</script>
</body>
</html>
`;

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
