import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { goldenFile, NAMESPACE } from './helm.ts';

/** Kubernetes objects as a manifest has them; only what the tests look at is typed. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: Record<string, unknown>;
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface HttpProbe {
  readonly httpGet?: { readonly path: string; readonly port: number };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
  }[];
  readonly securityContext?: Record<string, unknown>;
  readonly startupProbe?: HttpProbe;
  readonly livenessProbe?: HttpProbe;
  readonly readinessProbe?: HttpProbe;
}

export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  readonly configMap?: { readonly name: string };
  readonly projected?: {
    readonly sources: readonly { readonly serviceAccountToken: { readonly audience: string; readonly path: string } }[];
  };
  readonly csi?: { readonly driver: string; readonly volumeAttributes: Readonly<Record<string, string>> };
  readonly emptyDir?: object;
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly securityContext?: Record<string, unknown>;
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

/** The Pods that a workload object makes. */
export interface Pods {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

/** What a scenario renders to, from its golden file. */
export function objectsOf(scenario: string): readonly KubeObject[] {
  return parseObjects(readFileSync(goldenFile(scenario), 'utf8'));
}

/** As YAML 1.1, which is what Kubernetes reads: there 0440 is octal. */
export function parseObjects(text: string): readonly KubeObject[] {
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0] as Error;
    const value = document.toJSON() as KubeObject | null;
    return value === null ? [] : [value];
  });
}

interface Workload {
  readonly replicas: number;
  readonly selector: { readonly matchLabels: Record<string, string> };
  readonly template: { readonly metadata: Pick<Metadata, 'labels' | 'annotations'>; readonly spec: PodSpec };
}

export function podsOf(objects: readonly KubeObject[]): readonly Pods[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ metadata, spec }) => {
      const { replicas, selector, template } = spec as unknown as Workload;
      return {
        name: metadata.name,
        namespace: metadata.namespace ?? NAMESPACE,
        replicas,
        labels: template.metadata.labels ?? {},
        annotations: template.metadata.annotations ?? {},
        selector: selector.matchLabels,
        spec: template.spec,
      };
    });
}

/** The app that a container runs, by its name; undefined: none of ours. */
export const APPS = ['gateway', 'discovery', 'driver', 'edge', 'supervisor', 'boundary'] as const;
export type AppName = (typeof APPS)[number];
export const appOf = ({ name }: Container): AppName | undefined => APPS.find((app) => app === name);
