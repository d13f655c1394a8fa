import { listOf, numberOf, objectOf, textOf } from '@sallyport/kube';

const SAID_LENGTH_MAX = 240;

/** Pure: what the first Pod of a component that is not ready waits for, as Kubernetes says it. Empty: it says nothing. */
export function whyNotReady(pods: readonly unknown[], component: string): string {
  for (const pod of pods) {
    const { metadata, status } = objectOf(pod);
    const { name, labels } = objectOf(metadata);
    if (objectOf(labels)['app.kubernetes.io/component'] !== component) continue;
    const why = whyOf(status);
    if (why !== '') return `${textOf(name)}: ${why.slice(0, SAID_LENGTH_MAX)}`;
  }
  return '';
}

function whyOf(status: unknown): string {
  const { conditions, containerStatuses, initContainerStatuses } = objectOf(status);
  const found = listOf(conditions).map(objectOf);
  if (found.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return '';
  const unplaced = found.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  if (unplaced !== undefined) return said(unplaced.reason, unplaced.message);
  for (const container of [...listOf(initContainerStatuses), ...listOf(containerStatuses)]) {
    const { name, ready, state, lastState } = objectOf(container);
    if (ready === true) continue;
    const { waiting, terminated, running } = objectOf(state);
    const ended = objectOf(terminated ?? objectOf(lastState).terminated);
    const code = ended.exitCode === undefined ? '' : `, ended with ${numberOf(ended.exitCode)}`;
    if (waiting !== undefined)
      return `${textOf(name)} waits: ${said(objectOf(waiting).reason, objectOf(waiting).message)}${code}`;
    if (running !== undefined) return `${textOf(name)} runs and is not ready${code}`;
    if (terminated !== undefined) return `${textOf(name)} is not running${code}`;
  }
  return '';
}

const said = (reason: unknown, message: unknown): string => [textOf(reason), textOf(message)].filter(Boolean).join(': ');
