import { REAL, slowClientsAt } from '../http-cases/slow-clients.ts';
import { runRows } from './run-rows.ts';

/** With the limits as shipped and in real time, all at once: as long as the longest. */
runRows('slow-clients, in real time', slowClientsAt(REAL), 180_000);
