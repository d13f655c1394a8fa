/** Refusals of the control plane, as data. One table per border turns them into a gRPC status (libs/wire). */
export type Failure =
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'unauthenticated'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string }
  /** A newer fact overtook the caller; `clause` names what. */
  | { readonly kind: 'fenced'; readonly clause: string; readonly message: string }
  | { readonly kind: 'conflict'; readonly message: string }
  | { readonly kind: 'cursor-lost'; readonly message: string }
  | { readonly kind: 'lagging'; readonly message: string }
  | { readonly kind: 'over-limit'; readonly message: string }
  | { readonly kind: 'not-ready'; readonly message: string }
  | { readonly kind: 'unsupported'; readonly message: string };

export type FailureKind = Failure['kind'];

export const failure = (kind: Exclude<FailureKind, 'fenced'>, message: string): Failure => ({ kind, message });
export const fenced = (clause: string, message: string): Failure => ({ kind: 'fenced', clause, message });
