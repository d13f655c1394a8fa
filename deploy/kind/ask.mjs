// node ask.mjs ADDRESS PORT HOST: one HTTPS request, and one word for what came of it: the status, `refused` or `silence`. CA_PEM is whom
// to trust. It runs in a Pod of the cluster, so it is one file that needs nothing.
import { request } from 'node:https';

const [address, port, host] = process.argv.slice(-3);
const SILENCE_MS = 3_000;

const say = (word) => {
  process.stdout.write(`${word}\n`);
  process.exit(0);
};
setTimeout(say, SILENCE_MS, 'silence');
request(
  { host: address, port: Number(port), servername: host, headers: { host }, ca: process.env.CA_PEM, agent: false },
  (response) => say(response.statusCode),
)
  .on('error', (error) => say(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].includes(error.code) ? 'refused' : error.code))
  .end();
