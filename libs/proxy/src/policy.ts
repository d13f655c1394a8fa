import type { ServicePolicy as CodecPolicy } from '@sallyport/http1';
import type { HostPolicy } from '@sallyport/model';
import type { Route } from '@sallyport/routes';

const policies = new WeakMap<Route, CodecPolicy>();

/** The route's policy in the codec's words, made once a route: http1 depends on nothing, not even the model. */
export function codecPolicy(route: Route): CodecPolicy {
  let policy = policies.get(route);
  if (policy === undefined) {
    policy = { host: hostPolicy(route.policy.host), origin: route.policy.origin, cookies: route.policy.cookies };
    policies.set(route, policy);
  }
  return policy;
}

function hostPolicy(policy: HostPolicy): CodecPolicy['host'] {
  return policy.kind === 'value' ? { value: policy.value } : policy.kind;
}
