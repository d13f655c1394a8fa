// What `--help` says for the commands whose programs have no help of their own. Told before anything is installed or run: whoever
// asks what a command does must not start it by asking.

/** Name, form and meaning of each; `dev`, `cli`, `bench` and `build` answer for themselves. */
export const help = {
  test: [
    'npm test -- [FOLDER or FILE …] [options of vitest]',
    'Every test, those of what has not changed from the cache; with arguments those tests at once. Ends with N passed, N failed.',
    ['--skip-nx-cache', 'runs also what has not changed'],
    ['-t PATTERN', 'only tests whose names match; vitest takes more: npx vitest --help'],
  ],
  e2e: [
    'npm run e2e -- [FILE …] [options]',
    'The long form: real processes with real faults, about twenty minutes. What else is given goes to vitest.',
    ['--scale', 'thousands of sandboxes on one gateway instead'],
    ['--write-figures', 'also puts the figures into docs/reliability.md'],
    ['--kubeconfig FILE', 'the cases for Kubernetes, on a cluster of yours; see docs/kubernetes.md'],
    ['--namespace NAME', 'where on that cluster'],
    ['--images PATTERN', 'our images, with {app} in it'],
    ['--etcd-image IMAGE', 'the etcd there'],
    ['--node-image IMAGE', 'the image of the applications there'],
  ],
  chaos: [
    'npm run chaos -- [options]',
    'Real processes, broken in the order that a seed says, and judged; docs/reliability.md.',
    ['--minutes N', 'for how long (20)'],
    ['--faults N', 'how many; by default five or six a minute'],
    ['--seed N', 'which order (1); the same seed is the same order'],
    ['--plan', 'only prints what would be done'],
  ],
  fuzz: [
    'npm run fuzz -- [options]',
    'Mutated requests and answers through the real listener, beside other parsers; docs/security-testing.md.',
    ['--requests N', 'mutated requests (2000)'],
    ['--valid N', 'requests as they are, all of which must pass; by default a tenth as many'],
    ['--responses N', 'mutated answers; by default a tenth as many'],
    ['--seed S', 'of the first case (1); the others follow it'],
    ['--workers W', 'how many at one time (2)'],
  ],
  sim: [
    'npm run sim -- [options]',
    'Gateways, supervisors, discovery and faults on virtual time; docs/reliability.md.',
    ['--seeds N', 'how many histories (100)'],
    ['--from S', 'the first of them (1)'],
    ['--minutes M', 'virtual length of each (30)'],
    ['--workers W', 'how many at one time (2)'],
    ['--seed S', 'one history'],
    ['--trace', 'prints it, line by line; with --seed'],
    ['--guards off', 'the store compares no guard: a violation is wanted, and comes'],
  ],
  mutants: [
    'npm run mutants -- [options]',
    'Takes each rule out in turn and says which test or seed notices; hours as a whole. docs/reliability.md.',
    ['--only TEXT', 'those whose place contains this'],
    ['--workers W', 'how many at one time (2)'],
    ['--seeds N', 'histories for each that no test noticed (20)'],
    ['--minutes M', 'virtual length of each (8)'],
    ['--write', 'notes in libs/mutants/killers.json who noticed'],
    ['--left', 'only those of which that file knows no killer'],
    ['--list', 'only lists the places'],
    ['--check', 'only compares them with that file'],
  ],
  check: [
    'npm run check',
    'Types, lint, import borders, generated files, bundles: all that must hold besides the tests. A few minutes.',
  ],
  gen: [
    'npm run gen -- [--check]',
    'Writes what is generated: messages from proto/, borders, references, targets.',
    ['--check', 'only says what is not up to date'],
  ],
};

/** The text, or undefined where the program answers by itself, or nobody asked. */
export function helpFor(name, args) {
  const rows = Object.hasOwn(help, name) ? help[name] : undefined;
  if (rows === undefined || !args.some((arg) => arg === '--help' || arg === '-h')) return undefined;
  const [form, meaning, ...options] = rows;
  const width = Math.max(0, ...options.map(([option]) => option.length));
  const lines = options.map(([option, does]) => `  ${option.padEnd(width)}  ${does}`);
  return [`Usage: ${form}`, '', meaning, ...(lines.length > 0 ? ['', ...lines] : []), ''].join('\n');
}
