import { objectOf, textOf } from '@sallyport/kube';
import { type Finding, fails, holds } from '../finding.ts';

/** Of Kubernetes 1: the first release that has all that the chart asks for; docs/kubernetes.md names it. */
const MINOR_MIN = 27;

/** Pure: the answer of `/version`. */
export function judgeVersion(answer: unknown, server: string): Finding {
  const { major, minor, gitVersion } = objectOf(answer);
  const said = textOf(gitVersion);
  if (said === '')
    return fails('cluster', `what answers at ${server} is no Kubernetes API server`, 'look at the server in the kubeconfig');
  // Some providers write "27+".
  if (Number.parseInt(textOf(major), 10) === 1 && Number.parseInt(textOf(minor), 10) < MINOR_MIN)
    return fails('cluster', `${server} is Kubernetes ${said}`, `use 1.${MINOR_MIN} or newer`);
  return holds('cluster', `${server} is Kubernetes ${said}`);
}
