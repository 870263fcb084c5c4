import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { auditFunction, deployedFunctions, timerFunction, windowedFunction } from '../../../../infra/function-plans.ts';
import { outputs } from '../../../../infra/kubernetes/outputs.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** Returns the manifests of generated files below this folder. */
function manifestsOf(folder: string): readonly Manifest[] {
  return outputs
    .filter(output => output.path.startsWith(`${folder}/`))
    .flatMap(({ text }) => parseAllDocuments(text).map(document => document.toJS()));
}

const rbac = manifestsOf('rbac');
const roleOf = (name: string): readonly Rule[] =>
  rbac.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === `capi-serverless-${name}`)?.rules ?? [];
const mayDo = (name: string, verb: string, resource: string): readonly Rule[] =>
  roleOf(name).filter(({ verbs, resources }) => verbs.includes(verb) && resources.includes(resource));

const inAws = [...deployedFunctions, auditFunction, windowedFunction]
  .map(({ name }) => name)
  .filter(name => name !== timerFunction);

describe('the rights of functions in the management cluster', () => {
  it.each([...inAws, 'watch-forwarder'])('%s may read the uid of kube-system, and lists no namespaces', name => {
    const named = mayDo(name, 'get', 'namespaces').map(({ resourceNames }) => resourceNames);
    // ExtensionConfigs select namespaces by labels. A function that reads all namespaces also reads kube-system.
    expect(named).toEqual([
      ['clusterclass', 'machine', 'machinedeployment', 'topology'].includes(name) ? undefined : ['kube-system'],
    ]);
    expect(mayDo(name, 'list', 'namespaces')).toEqual([]);
  });

  it.each(inAws)('%s has its role through the group of its access entry', name => {
    const bound = rbac.filter(({ roleRef }) => roleRef?.name === `capi-serverless-${name}`);
    expect(bound.map(({ kind, subjects }) => [kind, subjects])).toEqual([
      ['ClusterRoleBinding', [expect.objectContaining({ kind: 'Group', name: `capi-serverless:${name}` })]],
    ]);
  });

  it('grant the timer nothing, because it uses only queues', () => {
    expect(roleOf('timer')).toEqual([]);
    expect(JSON.stringify(rbac)).not.toContain('capi-serverless:timer');
  });

  it('let the resync list what event sources watch, and watch nothing', () => {
    const listed = (name: string) =>
      roleOf(name)
        .filter(({ verbs }) => verbs.includes('list'))
        .flatMap(({ apiGroups, resources }) => resources.map(resource => `${resource}.${apiGroups.join()}`));
    expect(listed('resync')).toEqual(listed('watch-forwarder'));
    expect(new Set(roleOf('resync').flatMap(({ verbs }) => verbs))).toEqual(new Set(['list', 'get']));
    expect(roleOf('resync').flatMap(({ resources }) => resources)).not.toContain('secrets');
  });

  it.each(['watch-forwarder', 'windowed-forwarder'])('let %s read its watched kinds and write nothing', name => {
    const verbs = new Set(roleOf(name).flatMap(rule => rule.verbs));
    expect([...verbs].toSorted()).toEqual(['get', 'list', 'watch']);
    expect(roleOf(name).flatMap(({ resources }) => resources)).not.toContain('secrets');
  });

  it.each(['windowed-forwarder', 'resync'])(
    'let %s write its ConfigMap, in one namespace and no other ConfigMap',
    name => {
      expect(mayDo(`${name}-state`, 'patch', 'configmaps').map(({ resourceNames }) => resourceNames)).toEqual([
        [`capi-serverless-${name}`],
      ]);
      const bound = rbac.filter(({ roleRef }) => roleRef?.name === `capi-serverless-${name}-state`);
      expect(bound).toMatchObject([
        {
          kind: 'RoleBinding',
          metadata: { namespace: 'kube-system' },
          subjects: [{ name: `capi-serverless:${name}` }],
        },
      ]);
    },
  );

  it('grant no verb on all resources', () => {
    const rules = rbac.flatMap(manifest => manifest.rules ?? []);
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ verbs, apiGroups }) => verbs.includes('*') || apiGroups.includes('*'))).toEqual([]);
    const kinds = rules.filter(({ resources }) => resources.includes('*')).flatMap(({ apiGroups }) => apiGroups);
    // The kinds of providers have any name.
    const groups = ['infrastructure', 'controlplane', 'bootstrap'].map(group => `${group}.cluster.x-k8s.io`);
    expect(new Set(kinds)).toEqual(new Set(groups));
  });

  it('are all part of the kustomization', () => {
    const kustomization = rbac.find(({ kind }) => kind === 'Kustomization') as unknown as { resources: string[] }; // true for this kind
    const files = outputs.map(output => output.path).filter(file => file.startsWith('rbac/'));
    expect(kustomization.resources.map(file => `rbac/${file}`).toSorted()).toEqual(
      files.filter(file => file !== 'rbac/kustomization.yaml').toSorted(),
    );
  });
});

describe('the rights of providers with their own API groups', () => {
  const [role, binding] = ['ClusterRole', 'ClusterRoleBinding'].map(wanted =>
    manifestsOf('aggregated').find(({ kind }) => kind === wanted),
  );

  it('come from the roles for Cluster API’s manager, without the role of its own controllers', () => {
    expect(role).toMatchObject({
      aggregationRule: {
        clusterRoleSelectors: [
          {
            matchLabels: { 'cluster.x-k8s.io/aggregate-to-manager': 'true' },
            matchExpressions: [{ key: 'cluster.x-k8s.io/provider', operator: 'NotIn', values: ['cluster-api'] }],
          },
        ],
      },
    });
    // A repeated apply of the manifest must not remove rules that a controller added.
    expect(role).not.toHaveProperty('rules');
  });

  it('are granted to functions with rights on all kinds of the usual groups, and to no others', () => {
    const everyKind = (name: string): boolean => roleOf(name).some(({ resources }) => resources.includes('*'));
    const groups = inAws.filter(everyKind).map(name => `capi-serverless:${name}`);
    expect(groups.length).toBeGreaterThan(4);
    expect(binding?.roleRef?.name).toBe('capi-serverless-providers');
    const subjects = binding?.subjects?.map(({ name, namespace }) => [namespace, name].filter(Boolean).join('/')) ?? [];
    const accounts = ['capi-serverless/functions', 'capi-serverless/watch-forwarder'];
    expect(subjects.toSorted()).toEqual([...groups, ...accounts].toSorted());
  });
});

describe('the manifests of the watch-forwarder', () => {
  const manifests = manifestsOf('forwarder');
  const of = (kind: string) => manifests.find(manifest => manifest.kind === kind);

  it('run two replicas, one of which may be unavailable', () => {
    expect(of('Deployment')).toMatchObject({ spec: { replicas: 2 } });
    expect(of('PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } });
  });

  it('meet the restricted pod security standard, with a read-only file system', () => {
    expect(of('Namespace')).toMatchObject({
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    expect(of('Deployment')).toMatchObject({
      spec: {
        template: {
          spec: {
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
                resources: { requests: { memory: '96Mi' }, limits: { memory: '192Mi' } },
                livenessProbe: { httpGet: { path: '/healthz' } },
                readinessProbe: { httpGet: { path: '/readyz' } },
              },
            ],
          },
        },
      },
    });
  });

  it('allow ingress for probes and metrics, and egress for TLS, DNS and its credentials', () => {
    const { spec } = of('NetworkPolicy') as unknown as {
      readonly spec: { readonly ingress: readonly Ports[]; readonly egress: readonly Ports[] };
    }; // true for this kind
    const ports = (rules: readonly Ports[]): readonly number[] =>
      rules.flatMap(rule => rule.ports.map(({ port }) => port));
    expect(ports(spec.ingress)).toEqual([8080]);
    expect(ports(spec.egress)).toEqual([53, 53, 443, 6443, 80]);
  });

  it('bind its role to its service account', () => {
    expect(of('ClusterRoleBinding')).toMatchObject({
      roleRef: { name: 'capi-serverless-watch-forwarder' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'capi-serverless', name: 'watch-forwarder' }],
    });
  });
});

interface Ports {
  readonly ports: readonly { readonly port: number }[];
}

describe('the image of the watch-forwarder', () => {
  it('runs as the user that the manifests name', () => {
    const file = path.resolve(import.meta.dirname, '../../../../infra/containers/watch-forwarder.Dockerfile');
    expect(readFileSync(file, 'utf8')).toContain('\nUSER 65532:65532\n');
    expect(JSON.stringify(manifestsOf('forwarder'))).toContain('"runAsUser":65532,"runAsGroup":65532');
  });
});
