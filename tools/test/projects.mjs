import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../start/root.mjs';

/** Every nx project of the workspace: name, folder, targets, and the test files it has. */
export function projects() {
  return globSync('{libs/*,apps/*,tools,deploy}/project.json', { cwd: root })
    .sort()
    .map((file) => {
      const { name, targets } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      const folder = dirname(file);
      return { name, folder, targets: Object.keys(targets), tests: testsIn(folder), sources: sourcesIn(folder) };
    });
}

export const testedProjects = () => projects().filter(({ targets }) => targets.includes('test'));

/** Where a project's tests are, if not among its sources. */
const PATTERNS = { tools: '**/*.test.mjs', deploy: '**/*.test.ts' };

function testsIn(folder) {
  const pattern = PATTERNS[folder] ?? 'src/**/*.test.ts';
  return globSync(pattern, { cwd: join(root, folder) });
}

function sourcesIn(folder) {
  if (!existsSync(join(root, folder, 'src'))) return [];
  return globSync('src/**/*.ts', { cwd: join(root, folder) }).filter((file) => !file.endsWith('.test.ts'));
}
