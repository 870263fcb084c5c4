import { describe, expect, it } from 'vitest';
import {
  type AuditedRequest,
  compareRights,
  parseAuditLog,
  type RbacManifest,
  toGrants,
  toReport,
  unboundRoles,
} from '../../support/rights.ts';

const provider = 'infrastructure.cluster.x-k8s.io';

const role: RbacManifest = {
  kind: 'ClusterRole',
  metadata: { name: 'reader' },
  rules: [
    { apiGroups: ['cluster.x-k8s.io'], resources: ['clusters', 'clusters/status'], verbs: ['patch'] },
    { apiGroups: [provider], resources: ['*'], verbs: ['get'] },
    { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
  ],
};

const binding: RbacManifest = {
  kind: 'ClusterRoleBinding',
  metadata: { name: 'reader' },
  roleRef: { name: 'reader' },
  subjects: [{ kind: 'Group', name: 'readers' }],
};

const grants = toGrants([role, binding]);

function aRequest(change: Partial<AuditedRequest>): AuditedRequest {
  return {
    user: 'ann',
    groups: ['readers'],
    verb: 'get',
    path: '/',
    resource: 'secrets',
    group: '',
    name: undefined,
    namespace: 'default',
    code: 200,
    ...change,
  };
}

const everything: readonly AuditedRequest[] = [
  aRequest({ verb: 'patch', group: 'cluster.x-k8s.io', resource: 'clusters', name: 'c1' }),
  aRequest({ verb: 'patch', group: 'cluster.x-k8s.io', resource: 'clusters/status', name: 'c1' }),
  aRequest({ group: provider, resource: 'simulatedclusters', name: 'c1' }),
  aRequest({ resource: 'namespaces', name: 'kube-system' }),
];

describe('granted and used rights', () => {
  it('are equal when each right was used and every request was granted', () => {
    expect(grants).toHaveLength(4);
    expect(toReport(compareRights(grants, everything))).toBe('');
  });

  it('differ by unused rights, listed by role', () => {
    expect(toReport(compareRights(grants, everything.slice(1)))).toBe(
      [
        'Granted, but nothing used it: take the right away, or add a scenario that needs it:',
        '  reader  patch clusters.cluster.x-k8s.io',
      ].join('\n'),
    );
  });

  it.each([
    { change: { verb: 'delete' }, says: 'delete namespaces "kube-system" in default', reason: 'another verb' },
    { change: { name: 'default' }, says: 'get namespaces "default" in default', reason: 'another name' },
    { change: { resource: 'secrets' }, says: 'get secrets "kube-system" in default', reason: 'another kind' },
    { change: { group: 'x' }, says: 'get namespaces.x "kube-system" in default', reason: 'another group' },
    {
      change: { groups: ['others'] },
      says: 'get namespaces "kube-system" in default',
      reason: 'a user without a binding',
    },
    {
      change: { group: provider, resource: 'simulatedclusters/status', name: undefined },
      says: `get simulatedclusters.${provider}/status in default`,
      reason: 'a subresource of a kind that only a wildcard names',
    },
    { change: { resource: undefined, path: '/version' }, says: 'get /version', reason: 'no resource' },
  ])('differ by requests that no role grants: $reason', ({ change, says }) => {
    const asked = aRequest({ resource: 'namespaces', name: 'kube-system', ...change });
    expect(toReport(compareRights(grants, [...everything, asked, asked]))).toBe(
      `Used, but no role grants it: add it to the rules:\n  ann  ${says} (2 times)`,
    );
  });

  it('do not hide a refused request', () => {
    const refused = aRequest({ resource: 'namespaces', name: 'kube-system', code: 403 });
    expect(compareRights(grants, [...everything, refused]).refused).toEqual([refused]);
  });

  it('are limited to the namespace of a binding that has one, and to the service account that it names', () => {
    const account = { kind: 'ServiceAccount', name: 'ann', namespace: 'home' };
    const local = { ...binding, metadata: { name: 'local', namespace: 'kube-system' }, subjects: [account] };
    const user = 'system:serviceaccount:home:ann';
    const patch = { verb: 'patch', group: 'cluster.x-k8s.io', resource: 'clusters', groups: [] };
    const inside = aRequest({ ...patch, user, namespace: 'kube-system' });
    const outside = aRequest({ ...patch, user, namespace: 'default' });
    const other = aRequest({ ...patch, user: 'system:serviceaccount:away:ann', namespace: 'kube-system' });
    const { ungranted } = compareRights(toGrants([role, local]), [inside, outside, other]);
    expect(ungranted).toEqual([outside, other]);
  });

  it.each([
    { rule: { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }, implied: 1, reason: 'any name' },
    {
      rule: { apiGroups: [provider], resources: ['x', 'x/status', 'y'], verbs: ['get', 'patch'] },
      implied: 2,
      reason: 'kinds of a wildcard, not their subresources, for its verb',
    },
    { rule: { apiGroups: ['x'], resources: ['*'], verbs: ['get'] }, implied: 0, reason: 'another group' },
  ])('include those that others cover: $reason', ({ rule, implied }) => {
    const more = toGrants([{ ...role, rules: [...(role.rules ?? []), rule] }, binding]);
    const found = compareRights(more, []).implied;
    expect(found).toHaveLength(implied);
    expect(toReport(compareRights(more, [])).includes('another right of the same subject')).toBe(implied > 0);
  });

  it('of a role without a subject are not granted', () => {
    const lonely = { ...role, metadata: { name: 'lonely' } };
    expect(unboundRoles([role, lonely, binding])).toEqual(['lonely']);
    expect(toGrants([role, lonely, binding])).toEqual(grants);
  });

  it('of a missing role are an error', () => {
    expect(() => toGrants([binding])).toThrow('Binding reader names role reader, which is not there');
  });
});

describe('an audit log', () => {
  it('holds the requests of the selected users', () => {
    const line = {
      verb: 'patch',
      requestURI: '/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/clusters/c1/status',
      user: { username: 'ann', groups: ['readers', 'system:authenticated'] },
      objectRef: {
        apiGroup: 'cluster.x-k8s.io',
        resource: 'clusters',
        subresource: 'status',
        name: 'c1',
        namespace: 'ns',
      },
      responseStatus: { code: 200 },
    };
    const lines = [
      line,
      { ...line, user: { username: 'bob' } },
      { verb: 'get', requestURI: '/version', user: line.user },
    ];
    const text = lines.map(each => `${JSON.stringify(each)}\n`).join('');
    expect(parseAuditLog(text, user => user === 'ann')).toMatchObject([
      { user: 'ann', verb: 'patch', group: 'cluster.x-k8s.io', resource: 'clusters/status', name: 'c1', code: 200 },
      { user: 'ann', verb: 'get', resource: undefined, path: '/version' },
    ]);
  });

  it('counts an apply that created its object as a create, too, because both rights were needed', () => {
    const line = {
      verb: 'patch',
      requestURI: '/api/v1/namespaces/ns/secrets/one',
      user: { username: 'ann' },
      objectRef: { resource: 'secrets', name: 'one', namespace: 'ns' },
    };
    const verbs = (code: number) =>
      parseAuditLog(JSON.stringify({ ...line, responseStatus: { code } }), () => true).map(({ verb }) => verb);
    expect(verbs(201)).toEqual(['patch', 'create']);
    expect(verbs(200)).toEqual(['patch']);
  });
});
