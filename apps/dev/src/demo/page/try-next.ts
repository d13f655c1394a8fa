import type { Advice } from './advice.ts';
import { escapeHtml } from './escape-html.ts';

interface Step {
  readonly title: string;
  readonly words: string;
  readonly command: string;
}

const steps = ({ service, cli, port }: Advice, host: string): readonly Step[] => [
  {
    title: 'Shut the door',
    words: 'In a second terminal. The live socket above ends at once, and this page says why.',
    command: `${cli} service delete ${service}`,
  },
  {
    title: 'Open it again',
    words: 'The socket returns by itself. Same process, same count.',
    command: `${cli} service expose ${service}=${port}`,
  },
  {
    title: 'Ask why',
    words: 'Clause by clause: why this name is served, or is not.',
    command: `${cli} explain ${host.replace(/:\d+$/, '')}`,
  },
  {
    title: 'Serve your own port',
    words: 'End npm start with Ctrl-C first. A dev server with live reload works as it is.',
    command: 'npm start -- --service team/mybox/web=3000',
  },
];

export const tryNext = (advice: Advice, host: string): string => `
<section class="card card-next" aria-labelledby="next-title">
  <h2 id="next-title">Try next</h2>
  <ol class="steps">${steps(advice, host).map(step).join('')}</ol>
</section>`;

const step = ({ title, words, command }: Step, index: number): string => `
  <li>
    <h3>${title}</h3>
    <p>${words}</p>
    <div class="command">
      <code id="command-${index}">${escapeHtml(command)}</code>
      <button class="copy" type="button" data-copies="command-${index}" aria-label="Copy the command: ${title}">Copy</button>
    </div>
  </li>`;
