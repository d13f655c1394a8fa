import type { PolicyRule } from './kube-api/rbac.ts';

/** What the driver may do, and no more: the rules that a chart must give it. */
export const DRIVER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

/** Reviews belong to no namespace, so they need a ClusterRole whatever else is observed. */
export const REVIEW_RULES: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
];

/** With `--endpoint-slices`. */
export const SLICE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];
