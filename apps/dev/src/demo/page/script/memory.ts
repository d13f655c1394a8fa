/** The count, and the proof that it is the same process as before. */
export const memory = `
const remembered = { pid: find('pid').textContent, startedAt: find('up').dataset.started, count: find('count').textContent };

/* Its own clock may differ from ours: only the difference to when it told us counts. */
let up = { ms: 0, readAt: performance.now() };

function tellMemory(tone, text) {
  find('memory-note').dataset.tone = tone;
  setText('memory-note', text);
}

function showMemory(next) {
  setText('count', String(next.count));
  setText('pid', String(next.pid));
  document.querySelector('.plan-pid').textContent = String(next.pid);
  up = { ms: next.upMs, readAt: performance.now() };
  showUp();
}

const showUp = () => setText('up', span(up.ms + performance.now() - up.readAt));

function compareMemory(next) {
  if (next.startedAt === remembered.startedAt) {
    const kept = 'Same process as before, and the count is still ' + next.count + '.';
    tellMemory('open', kept);
    note('open', kept);
  } else {
    const fresh = 'A new process: ' + next.pid + ' instead of ' + remembered.pid + '. It counts from 0.';
    tellMemory('shut', fresh);
    note('shut', fresh);
    Object.assign(remembered, next);
  }
}

find('counter-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    pulse('in');
    const answer = await fetch('/api/counter', { method: 'POST' });
    if (!answer.ok) throw new Error(String(answer.status));
    showMemory(await answer.json());
    pulse('out');
  } catch {
    tellMemory('shut', 'That one did not come through.');
    knock();
  }
});

onDoor(({ isOpen, state }, next) => {
  find('add').disabled = !isOpen;
  /* Of a withdrawal we know that it leaves the process alone; of silence we know nothing. */
  const runsOn = state === 'shut' || state === 'waiting' ? 'The process runs on behind the wall. ' : '';
  if (!isOpen) tellMemory('', runsOn + 'Its count was ' + find('count').textContent + ' when last seen.');
  if (next === undefined) return;
  compareMemory(next);
  showMemory(next);
});

setInterval(() => { if (door.isOpen) showUp(); }, 1000);
look().then((found) => { if (found.remembered !== undefined) showMemory(found.remembered); });
`;
