import type { Remembered } from '../memory.ts';
import type { SeenField, SeenRequest } from '../seen-request.ts';
import { escapeHtml } from './escape-html.ts';

export const memoryCard = ({ pid, count, startedAt }: Remembered): string => `
<section class="card card-memory" aria-labelledby="memory-title">
  <h2 id="memory-title">Memory</h2>
  <form method="post" action="/api/counter" id="counter-form">
    <output class="count" id="count" for="add">${count}</output>
    <button class="button button-main" id="add" type="submit">Add one</button>
  </form>
  <dl class="facts">
    <div><dt>Process</dt><dd id="pid">${pid}</dd></div>
    <div><dt>Up for</dt><dd id="up" data-started="${escapeHtml(startedAt)}">…</dd></div>
  </dl>
  <p class="note" id="memory-note">The number is only in this process. Withdraw the service, bring it back: it is still there.</p>
</section>`;

export const socketCard = (): string => `
<section class="card card-socket" aria-labelledby="socket-title">
  <div class="card-head">
    <h2 id="socket-title">Live socket</h2>
    <p class="state" id="socket-state" data-tone="wait">connecting</p>
  </div>
  <div class="trips">
    <p class="figure"><b id="trip">–</b> ms <span>round trip</span></p>
    <svg class="spark" id="spark" viewBox="0 0 144 36" preserveAspectRatio="none" aria-hidden="true" focusable="false"></svg>
  </div>
  <ul class="messages" id="messages" aria-label="Messages" role="log" tabindex="0"><li class="empty">What you send comes back from the process.</li></ul>
  <form class="send" id="send-form">
    <label class="visually-hidden" for="message">Message</label>
    <input id="message" name="message" type="text" maxlength="2000" autocomplete="off" placeholder="Say something" enterkeyhint="send">
    <button class="button" type="submit" id="send" disabled>Send</button>
  </form>
</section>`;

const tick = (second: number): string => {
  const isHour = second % 5 === 0;
  return `<path class="${isHour ? 'dial-hour' : 'dial-tick'}" d="M60 ${isHour ? 6 : 8}V13" transform="rotate(${second * 6} 60 60)"/>`;
};

export const clockCard = (): string => `
<section class="card card-clock" aria-labelledby="clock-title">
  <div class="card-head">
    <h2 id="clock-title">Server’s clock</h2>
    <p class="state" id="clock-state" data-tone="wait">connecting</p>
  </div>
  <svg class="dial" viewBox="0 0 120 120" aria-hidden="true" focusable="false">
    ${Array.from({ length: 60 }, (_, second) => tick(second)).join('')}
    <path class="dial-long" id="hand-hour" d="M60 60V33"/>
    <path class="dial-long" id="hand-minute" d="M60 60V20"/>
    <path class="dial-hand" id="hand-second" d="M60 70V15"/>
    <circle class="dial-pin" cx="60" cy="60" r="3"/>
  </svg>
  <p class="time" id="time">--:--:--</p>
  <p class="note"><span id="ticks">0 ticks</span>, one event each second. It moves only when one arrives.</p>
</section>`;

export const uploadCard = (): string => `
<section class="card card-upload" aria-labelledby="upload-title">
  <div class="card-head">
    <h2 id="upload-title">Upload</h2>
    <p class="state" id="upload-state" data-tone="idle">nothing yet</p>
  </div>
  <p class="note">Bytes stream to the process, which counts them and keeps none.</p>
  <div class="choose">
    <button class="button button-main" type="button" id="upload-made">Send 32 MB</button>
    <label class="button file" for="upload-file"><span>Choose a file</span><input id="upload-file" type="file"></label>
    <button class="button" type="button" id="upload-stop" disabled>Stop</button>
  </div>
  <progress id="upload-progress" max="1" value="0" aria-label="Upload"></progress>
  <dl class="facts facts-three">
    <div><dt>Sent</dt><dd id="upload-sent">–</dd></div>
    <div><dt>Rate</dt><dd id="upload-rate">–</dd></div>
    <div><dt>Counted</dt><dd id="upload-counted">–</dd></div>
  </dl>
</section>`;

export const requestCard = ({ line, fields }: SeenRequest): string => `
<section class="card card-request" aria-labelledby="request-title">
  <h2 id="request-title">What the application saw</h2>
  <p class="request-line"><code>${escapeHtml(line)}</code></p>
  <div class="fields" tabindex="0" role="region" aria-labelledby="request-title">
    <table>
      <thead class="visually-hidden"><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
      <tbody>${[...fields].sort(doorFirst).map(row).join('')}</tbody>
    </table>
  </div>
</section>`;

const doorFirst = (a: SeenField, b: SeenField): number => Number(b.setAtDoor) - Number(a.setAtDoor);

const row = ({ name, value, setAtDoor }: SeenField): string =>
  `<tr${setAtDoor ? ' class="at-door"' : ''}><th scope="row">${escapeHtml(name)}${setAtDoor ? ' <span class="badge">set at the door</span>' : ''}</th><td>${escapeHtml(value)}</td></tr>`;
