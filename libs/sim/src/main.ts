import { runSeed } from './run-seed.ts';
const from=Number(process.argv[2]??1), n=Number(process.argv[3]??5), minutes=Number(process.argv[4]??10);
for (let seed=from; seed<from+n; seed++){ const t=performance.now(); const r=await runSeed({seed, minutes, reads: (process.argv[5] as never) ?? 'nothing', guardsOff: process.argv[6]==='off'});
 if (process.argv[5]) console.log(r.transcript.join('\n'));
 console.log(seed, (r.virtualMs/60000).toFixed(1)+' min', r.eventCount, 'events', ((performance.now()-t)/1000).toFixed(2)+' s', r.violations.map(v=>`${(v.at/1000).toFixed(3)} ${v.rule}: ${v.detail}`).join('\n')); }
