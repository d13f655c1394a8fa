/** A Pod as a case wants it; what a cluster makes of it is in manifest.ts. */
export interface PodPlan {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly serviceAccount?: string;
  readonly containers: readonly ContainerPlan[];
  /** By name; each is a directory `/e2e/<name>` of every container. */
  readonly volumes?: Readonly<Record<string, VolumePlan>>;
  /** Secrets that name the Pod's own UID: made once it has one, and its containers wait for them. */
  readonly secretsOf?: (uid: string) => Promise<Readonly<Record<string, Texts>>>;
  /** An address that it must have, where that can be chosen. */
  readonly address?: string | undefined;
}

export interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args: readonly string[];
  /** Ready once this answers: a path over HTTP, or the port alone. */
  readonly ready?: { readonly port: number; readonly path?: string };
}

export type VolumePlan =
  | { readonly kind: 'secret' | 'configMap'; readonly name: string }
  /** A token of the Pod's service account, as `token`. */
  | { readonly kind: 'token'; readonly audience: string }
  /** A kubeconfig for the Pod's own account: `config`, with `ca.crt` and `token` beside it. */
  | { readonly kind: 'api-access'; readonly configSecret: string };

export type Texts = Readonly<Record<string, string>>;

export interface RunningPod {
  readonly name: string;
  readonly uid: string;
  readonly address: string;
}

/** Where volumes are in a container; args that name files begin with it. */
export const MOUNTED_AT = '/e2e';
export const ADDRESS_ANNOTATION = 'e2e.sallyport.dev/address';
export const OURS = 'sallyport.dev/';

/** Our own labels and annotations, as they are on an object. */
export const ours = <T extends string | null>(texts: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${OURS}${name}`, text]));
