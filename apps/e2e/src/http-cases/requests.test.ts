import { runRows } from '../testing/run-rows.ts';
import { requestTables } from './tables.ts';

for (const [section, rows] of Object.entries(requestTables)) runRows(section, rows);
