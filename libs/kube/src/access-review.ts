import { ok, type Result } from '@sallyport/model';
import type { KubeClient } from './api/client.ts';
import { objectOf } from './api/objects.ts';
import type { Trouble } from './api/trouble.ts';

/** Something that RBAC allows or does not. */
export interface Permission {
  readonly verb: string;
  /** Empty: the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** It belongs to no namespace. */
  readonly isOfCluster?: true;
}

/** A service account, as the API server names it. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

const PATH = '/apis/authorization.k8s.io/v1';

/** What an account is called by reviews and in tokens. */
export const accountName = ({ namespace, name }: Account): string => `system:serviceaccount:${namespace}:${name}`;

/** Whether who asks may do that; in no namespace (`''`): in all of them. Everybody may ask this. */
export const reviewOwnAccess = (
  client: Pick<KubeClient, 'post'>,
  permission: Permission,
  namespace: string,
): Promise<Result<boolean, Trouble>> => review(client, 'SelfSubjectAccessReview', { permission, namespace }, {});

/** The same of an account: takes leave to create SubjectAccessReviews. Its groups are what the API server gives every account. */
export const reviewAccess = (
  client: Pick<KubeClient, 'post'>,
  account: Account,
  permission: Permission,
  namespace: string,
): Promise<Result<boolean, Trouble>> =>
  review(
    client,
    'SubjectAccessReview',
    { permission, namespace },
    {
      user: accountName(account),
      groups: ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`, 'system:authenticated'],
    },
  );

async function review(
  client: Pick<KubeClient, 'post'>,
  kind: 'SelfSubjectAccessReview' | 'SubjectAccessReview',
  { permission, namespace }: { readonly permission: Permission; readonly namespace: string },
  subject: object,
): Promise<Result<boolean, Trouble>> {
  const { verb, group, resource, subresource, isOfCluster } = permission;
  const resourceAttributes = {
    verb,
    group,
    resource,
    namespace: isOfCluster ? '' : namespace,
    ...(subresource === undefined ? {} : { subresource }),
  };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind, spec: { resourceAttributes, ...subject } };
  const answer = await client.post(`${PATH}/${kind.toLowerCase()}s`, body);
  if (!answer.ok) return answer;
  return ok(objectOf(objectOf(answer.value).status).allowed === true);
}

/** For people: `pods`, `pods/exec`. */
export const resourceOf = ({ resource, subresource }: Permission): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`;
