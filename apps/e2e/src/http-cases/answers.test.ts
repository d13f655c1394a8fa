import { runRows } from '../testing/run-rows.ts';
import { answerTables } from './tables.ts';

for (const [section, rows] of Object.entries(answerTables)) runRows(section, rows);
