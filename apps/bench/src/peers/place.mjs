import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** @type {import('../subjects/subject.ts').Place} */
export const place = JSON.parse(process.argv[2] ?? '');

/** The certificate and the version of TLS that everybody has here; a full handshake for each connection. */
export const tls = {
  cert: readFileSync(place.certFile),
  key: readFileSync(place.keyFile),
  minVersion: 'TLSv1.3',
  secureOptions: constants.SSL_OP_NO_TICKET,
};

export const application = `http://127.0.0.1:${place.appPort}`;
