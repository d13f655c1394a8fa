import { runRows } from '../testing/run-rows.ts';
import { connectionTables } from './tables.ts';

for (const [section, rows] of Object.entries(connectionTables)) runRows(section, rows);
