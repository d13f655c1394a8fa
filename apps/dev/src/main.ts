import { run } from '@sallyport/process';
import { readConfig } from './config.ts';
import { wire } from './wire.ts';

await run({ name: 'sallyport dev', usage: 'npm start --' }, readConfig, wire);
