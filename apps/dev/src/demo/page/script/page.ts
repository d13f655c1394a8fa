/** What every part of the script uses. No backtick, backslash, or dollar sign before a brace in these files: they are template strings. */
export const page = `
const find = (id) => document.getElementById(id);

function setText(id, text) {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
}

function setState(id, tone, text) {
  find(id).dataset.tone = tone;
  setText(id, text);
}

const two = (number) => String(number).padStart(2, '0');
const clockTime = (date) => two(date.getHours()) + ':' + two(date.getMinutes()) + ':' + two(date.getSeconds());

function amount(bytes) {
  if (bytes < 1000) return bytes + ' B';
  const units = ['kB', 'MB', 'GB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < 2) { value /= 1000; unit += 1; }
  return (value < 10 ? value.toFixed(1) : String(Math.round(value))) + ' ' + units[unit];
}

function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return hours + ' h ' + two(minutes % 60) + ' min';
  if (minutes > 0) return minutes + ' min ' + two(seconds % 60) + ' s';
  return seconds + ' s';
}

/* The newest is below, so that nothing moves but the end. A page that stays open for a day must not grow. */
const CHRONICLE_MAX = 60;

function note(tone, text) {
  const row = document.createElement('li');
  const time = document.createElement('time');
  const words = document.createElement('span');
  time.textContent = clockTime(new Date());
  words.textContent = text;
  row.dataset.tone = tone;
  row.append(time, words);
  const list = find('chronicle');
  list.append(row);
  while (list.children.length > CHRONICLE_MAX) list.firstChild.remove();
  list.scrollTop = list.scrollHeight;
}

/* For those who listen to the page: only what changes about the door. */
const say = (text) => setText('spoken', text);

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const TRAFFIC_MAX = 10;

/* A dot on the road for what really passed. */
function pulse(direction) {
  const road = document.querySelector('.plan-traffic');
  if (calm.matches || document.hidden || road.children.length >= TRAFFIC_MAX) return;
  const { from, to, y } = road.dataset;
  const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  dot.setAttribute('r', '3.2');
  dot.setAttribute('cy', y);
  road.append(dot);
  const ends = direction === 'in' ? [from, to] : [to, from];
  const steps = ends.map((x) => ({ transform: 'translateX(' + x + 'px)' }));
  dot.animate(steps, { duration: 620, easing: 'cubic-bezier(0.4, 0, 0.3, 1)' }).finished.finally(() => dot.remove());
}
`;
