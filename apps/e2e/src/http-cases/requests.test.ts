import { runRows } from '../testing/run-rows.ts';
import { sniHost } from './sni-host.ts';

runRows('sni-host', sniHost);
