/** Server-sent events. The hand moves when one arrives and never by itself. */
export const clock = `
let stream;
let tickCount = 0;

function listen() {
  if (stream !== undefined || !door.isOpen) return;
  stream = new EventSource('/api/clock');
  stream.onopen = () => setState('clock-state', 'open', 'ticking');
  stream.addEventListener('tick', ({ data }) => {
    tickCount += 1;
    const now = new Date(JSON.parse(data).now);
    setText('time', clockTime(now));
    setText('ticks', tickCount + (tickCount === 1 ? ' tick' : ' ticks'));
    const turn = (id, degrees) => find(id).setAttribute('transform', 'rotate(' + degrees + ' 60 60)');
    turn('hand-second', now.getSeconds() * 6);
    turn('hand-minute', now.getMinutes() * 6 + now.getSeconds() / 10);
    turn('hand-hour', (now.getHours() % 12) * 30 + now.getMinutes() / 2);
    pulse('out');
  });
  /* The browser would try again by itself, but not after an answer such as 404: so the door decides for both. */
  stream.onerror = async () => {
    stop();
    await knock();
    if (door.isOpen) setTimeout(listen, 1000);
    else setState('clock-state', toneOf(door.state), 'stopped');
  };
}

function stop() {
  if (stream === undefined) return;
  stream.close();
  stream = undefined;
  setState('clock-state', door.isOpen ? 'wait' : toneOf(door.state), 'stopped');
}

onDoor(({ isOpen }) => { if (isOpen) listen(); else stop(); });
listen();
`;
