import type { Remembered } from '../memory.ts';
import type { SeenRequest } from '../seen-request.ts';
import type { Advice } from './advice.ts';
import { clockCard, memoryCard, requestCard, socketCard, uploadCard } from './cards.ts';
import { drawing, mark } from './drawing.ts';
import { escapeHtml } from './escape-html.ts';
import { tryNext } from './try-next.ts';

export interface Shown {
  readonly advice: Advice;
  readonly remembered: Remembered;
  readonly seen: SeenRequest;
}

/** One row for each state of the door; they lie upon each other, so that changing between them moves nothing. */
const STATES: readonly [when: string, title: string, words: (advice: Advice) => string][] = [
  [
    'open',
    'You are through.',
    ({ port }) =>
      `A process on <b>127.0.0.1:${port}</b> served this page. Nobody outside can reach that address, only this name, and only while it is granted.`,
  ],
  [
    'shut',
    'The door is shut.',
    () =>
      'The service was withdrawn, and all that was live ended with it. The process behind the wall runs on. This page knocks again by itself.',
  ],
  [
    'waiting',
    'The door waits.',
    () => 'Sallyport may not serve this name until its leave is confirmed again. That takes a few seconds as a rule.',
  ],
  ['empty', 'Nobody is in.', () => 'The door is open, but the application behind it does not answer.'],
  ['lost', 'Nobody answers.', () => 'Sallyport does not answer at all. If you ended it, <b>npm start</b> brings it back.'],
  [
    'direct',
    'Over the wall.',
    () => 'This page was opened at the application’s own port. Sallyport gave it an https address: see the terminal.',
  ],
];

export const body = (shown: Shown): string => `
<a class="skip" href="#main">Skip to the demonstrations</a>
<header class="hero">
  <div class="hero-words">
    <p class="name">${mark}<span>Sallyport</span></p>
    <h1 class="stack">${STATES.map(([when, title]) => `<span data-when="${when}">${title}</span>`).join('')}</h1>
    <div class="stack lead">${STATES.map(([when, , words]) => `<p data-when="${when}">${words(shown.advice)}</p>`).join('')}</div>
    <p class="address"><span class="lamp" aria-hidden="true"></span><span class="visually-hidden">Address: </span><span id="host">${escapeHtml(shown.seen.host)}</span></p>
  </div>
  ${drawing(shown.remembered.pid)}
</header>
<noscript><p class="noscript">Scripts are off: the counter works, the live parts do not.</p></noscript>
<p class="visually-hidden" role="status" id="spoken"></p>
<main id="main" tabindex="-1">
  <div class="grid">
    ${memoryCard(shown.remembered)}
    ${socketCard()}
    ${clockCard()}
    ${tryNext(shown.advice, shown.seen.host)}
    ${chronicle()}
    ${uploadCard()}
    ${requestCard(shown.seen)}
  </div>
</main>
<footer class="foot"><p>The demo application of Sallyport. It keeps nothing and loads nothing from anywhere else.</p></footer>`;

const chronicle = (): string => `
<section class="card card-chronicle" aria-labelledby="chronicle-title">
  <h2 id="chronicle-title">What happened</h2>
  <ol class="chronicle" id="chronicle" tabindex="0" aria-labelledby="chronicle-title"></ol>
</section>`;
