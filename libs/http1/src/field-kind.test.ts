import { expect, test } from 'vitest';
import { FIELD, kindOf } from './field-kind.ts';

const rows: [name: string, want: keyof typeof FIELD][] = [
  ['Host', 'host'],
  ['hOST', 'host'],
  ['content-length', 'contentLength'],
  ['TRANSFER-ENCODING', 'transferEncoding'],
  ['Sec-WebSocket-Key', 'webSocketKey'],
  ['Sec-Websocket-Key', 'webSocketKey'],
  ['x-forwarded-FOR', 'forwardedFor'],
  ['X_Forwarded_For', 'forwarded'],
  ['x-forwarded-port', 'forwarded'],
  ['X~Real!IP', 'forwarded'],
  ['Sallyport-Error', 'ours'],
  ['sallyport.error', 'ours'],
  ['User-Agent', 'plain'],
  ['Hosts', 'plain'],
  ['Content_Length', 'plain'],
  ['X-Forwarded', 'plain'],
  ['Sallyport', 'plain'],
  ['constructor', 'plain'],
  ['__proto__', 'plain'],
];
test.each(rows)('%s is %s', (name, want) => expect(kindOf(name)).toBe(FIELD[want]));
