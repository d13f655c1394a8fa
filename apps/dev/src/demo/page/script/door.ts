/** Whether the door is open, and one knock at a time while it is not. */
export const door = `
const DOOR_STATE = {
  route_withdrawn: 'shut',
  route_unknown: 'shut',
  not_fresh: 'waiting',
  lease_expired: 'waiting',
  draining: 'waiting',
  over_limit: 'waiting',
  app_unreachable: 'empty',
  app_protocol: 'empty',
  app_timeout: 'empty',
};
const WHY = {
  shut: 'the service was withdrawn',
  waiting: 'Sallyport waits for its leave to serve',
  empty: 'the application does not answer',
  lost: 'Sallyport does not answer',
};
const toneOf = (state) => (state === 'shut' || state === 'lost' ? 'shut' : 'wait');
const TITLE = { shut: 'Door shut', waiting: 'Door waits', empty: 'No answer', lost: 'No answer' };

/* Soon at first, for a door that only blinked; never so late that somebody who opens it has to wait. */
const KNOCK_AFTER_MS = [400, 800, 1500, 2500, 4000];
const KNOCK_TIMEOUT_MS = 5000;

const openState = document.documentElement.dataset.door;
const door = { state: openState, isOpen: true, tries: 0, timer: 0, knocking: undefined, listeners: [] };

/* Each part hears of the door's opening and shutting, and starts or stops. */
const onDoor = (listener) => door.listeners.push(listener);

/* Answers of Sallyport's own carry its code; the application's never do. */
async function look() {
  try {
    const answer = await fetch('/api/state', { cache: 'no-store', signal: AbortSignal.timeout(KNOCK_TIMEOUT_MS) });
    const code = answer.headers.get('sallyport-error');
    if (code !== null) return { state: DOOR_STATE[code] || 'waiting' };
    return answer.ok ? { state: openState, remembered: await answer.json() } : { state: 'empty' };
  } catch {
    return { state: 'lost' };
  }
}

function setDoor(state, remembered) {
  if (state === door.state && door.isOpen === (state === openState)) return;
  door.state = state;
  door.isOpen = state === openState;
  document.documentElement.dataset.door = state;
  document.title = (door.isOpen ? '' : TITLE[state] + ' · ') + 'Sallyport demo';
  if (door.isOpen) {
    note('open', 'The door is open again.');
    say('The door is open again.');
  } else {
    note(toneOf(state), 'Nothing comes through: ' + WHY[state] + '.');
    say('Nothing comes through: ' + WHY[state] + '.');
  }
  for (const listener of door.listeners) listener(door, remembered);
}

/* Called by whichever part notices first that something ended; the others wait for the same answer. */
function knock() {
  door.knocking ??= knockOnce().finally(() => { door.knocking = undefined; });
  return door.knocking;
}

async function knockOnce() {
  clearTimeout(door.timer);
  const { state, remembered } = await look();
  setDoor(state, remembered);
  if (door.isOpen) {
    door.tries = 0;
    return;
  }
  const base = KNOCK_AFTER_MS[Math.min(door.tries, KNOCK_AFTER_MS.length - 1)];
  door.tries += 1;
  /* A spread, so that all open pages do not come in one moment. */
  door.timer = setTimeout(knock, base * (0.8 + Math.random() * 0.4));
}

addEventListener('online', knock);
document.addEventListener('visibilitychange', () => { if (!document.hidden && !door.isOpen) knock(); });
`;
