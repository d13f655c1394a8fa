/** The live WebSocket: its state in words, round trips, and messages there and back. */
export const socket = `
const BEAT_MS = 1500;
const BEAT = 'beat ';
const TRIPS_MAX = 36;
const MESSAGES_MAX = 40;

let live;
let trips = [];
const sentAt = [];

function connect() {
  if (live !== undefined || !door.isOpen) return;
  setState('socket-state', 'wait', 'connecting');
  const ours = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/api/echo');
  let wasOpen = false;
  live = ours;
  ours.onopen = () => {
    wasOpen = true;
    setState('socket-state', 'open', 'open');
    note('open', 'Live socket open.');
    find('send').disabled = false;
    beat();
  };
  ours.onmessage = ({ data }) => {
    pulse('out');
    if (data.startsWith(BEAT)) addTrip(performance.now() - Number(data.slice(BEAT.length)));
    else addMessage('←', data, (performance.now() - (sentAt.shift() ?? performance.now())).toFixed(1) + ' ms');
  };
  ours.onclose = async ({ code }) => {
    live = undefined;
    sentAt.length = 0;
    find('send').disabled = true;
    if (code === 1001) note('wait', 'The application closed the live socket: it is ending.');
    else if (wasOpen && door.isOpen) note('wait', 'The live socket was cut.');
    setState('socket-state', 'wait', 'closed, asking why');
    await knock();
    if (door.isOpen) again();
    else showClosed();
  };
}

const showClosed = () =>
  setState('socket-state', toneOf(door.state), 'closed because ' + WHY[door.state]);

/* Open door, closed socket: over a limit, say. Not at once, or two of us would spin. */
function again() {
  setState('socket-state', 'wait', 'closed, back in a moment');
  setTimeout(connect, 1000);
}

function beat() {
  if (live === undefined || live.readyState !== WebSocket.OPEN || document.hidden) return;
  pulse('in');
  live.send(BEAT + performance.now());
}

function addTrip(ms) {
  trips.push(ms);
  trips = trips.slice(-TRIPS_MAX);
  setText('trip', ms < 9.95 ? ms.toFixed(1) : String(Math.round(ms)));
  drawTrips();
}

/* From the right, measured by what is usual: the first trip of all is slow and would flatten the rest. */
function drawTrips() {
  const usual = trips.toSorted((a, b) => a - b)[trips.length >> 1];
  const most = Math.max(2, usual * 2.5);
  const bars = find('spark').children;
  for (let i = 0; i < TRIPS_MAX; i += 1) {
    const ms = trips[i - TRIPS_MAX + trips.length];
    const height = ms === undefined ? 2 : Math.min(36, Math.max(3, (36 * ms) / most));
    bars[i].classList.toggle('is-empty', ms === undefined);
    bars[i].setAttribute('height', String(height));
    bars[i].setAttribute('y', String(36 - height));
  }
}

for (let i = 0; i < TRIPS_MAX; i += 1) {
  const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  bar.setAttribute('x', String(i * 4));
  bar.setAttribute('width', '2.600');
  bar.setAttribute('height', '2');
  bar.setAttribute('y', '34');
  bar.classList.add('is-empty');
  find('spark').append(bar);
}

function addMessage(arrow, text, aside) {
  const list = find('messages');
  const row = document.createElement('li');
  const words = document.createElement('span');
  const small = document.createElement('small');
  words.textContent = arrow + ' ' + text;
  small.textContent = aside;
  row.append(words, small);
  list.querySelector('.empty')?.remove();
  list.append(row);
  while (list.children.length > MESSAGES_MAX) list.firstChild.remove();
  list.scrollTop = list.scrollHeight;
}

find('send-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = find('message');
  if (field.value === '' || live === undefined || live.readyState !== WebSocket.OPEN) return;
  /* A beat of one's own would be taken for ours. */
  const text = field.value.startsWith(BEAT) ? ' ' + field.value : field.value;
  addMessage('→', text, '');
  sentAt.push(performance.now());
  pulse('in');
  live.send(text);
  field.value = '';
  field.focus();
});

onDoor(({ isOpen }) => { if (isOpen) connect(); else if (live === undefined) showClosed(); });
setInterval(beat, BEAT_MS);
connect();
`;
