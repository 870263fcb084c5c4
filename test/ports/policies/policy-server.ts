// A kube-apiserver with all policies, whose bindings are limited to one namespace for each setting.
import type { Intent, JsonObject, Kubernetes } from '@capi-serverless/apimachinery';
import { vi } from 'vitest';
import { defaultPolicies } from '../../../infra/kubernetes/admission-policies/default-policies.ts';
import { policyKinds, policyVersion } from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { bindingsOf, kindPolicies, type PolicyManifest } from '../../../infra/kubernetes/admission-policies/policy-manifests.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createKubernetes } from '../../../shared/kubernetes/rest/client.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { policySettings } from '../../support/policies/expected-verdict.ts';
import { ipamCrds } from '../../support/policies/ipam-definitions.ts';
import { aValid, type PolicyWrite, writtenKinds } from '../../support/policies/written-objects.ts';
import { createRawHttp, type RawAnswer, type RawHttp } from '../../support/raw-http.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { expectValue } from '../answers.ts';

/** Namespaces in addition to those of the settings. */
export const undefaultedNamespace = 'undefaulted';
export const defaultsNamespace = 'defaults';

export interface PolicyServer {
  readonly http: RawHttp;
  /** Tries a write without storing it. */
  tryWrite(namespace: string, write: PolicyWrite): Promise<RawAnswer>;
  stop(): Promise<void>;
}

const patience = { timeout: 300_000, interval: 200 };

export async function startPolicyServer(): Promise<PolicyServer> {
  const plane = await startControlPlane({ furtherControllers: ['validatingadmissionpolicy-status-controller'] });
  try {
    return await prepare(plane);
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function prepare(plane: RealControlPlane): Promise<PolicyServer> {
  const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('admin') });
  const kubernetes = createKubernetes({ credentials, client: 'test' });
  const http = createRawHttp({ url: plane.url, caPem: plane.caPem, token: plane.token('admin') });
  const kinds = new Set<string>(writtenKinds);
  await installDefinitions(kubernetes, [...coreCrds.filter(({ spec }) => kinds.has(spec.names.kind)), ...ipamCrds]);
  const versions = await storeObjects(kubernetes);
  await createAll(kubernetes, allPolicies());
  await createAll(kubernetes, allBindings());
  const server = { http, tryWrite: toTryWrite(http, versions), stop: () => plane.stop() };
  await untilActive(server);
  return server;
}

/** Creates the stored object of each kind in each namespace, before a policy can refuse it. Returns their versions. */
async function storeObjects(kubernetes: Kubernetes): Promise<ReadonlyMap<string, string>> {
  const namespaces = [...policySettings.map(({ name }) => name), undefaultedNamespace, defaultsNamespace];
  await createAll(kubernetes, namespaces.map(name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  const stored = namespaces.flatMap(namespace => [
    aValid('IPAddressClaim', 'claim', namespace),
    ...writtenKinds.map(kind => aValid(kind, 'stored', namespace)),
  ]);
  const created = await createAll(kubernetes, stored as readonly Intent[]); // True: they have all parts of an Intent.
  return new Map(
    created
      .filter(({ metadata }) => metadata.name === 'stored')
      .map(({ kind, metadata }) => [`${metadata.namespace} ${kind}`, metadata.resourceVersion]),
  );
}

async function createAll(kubernetes: Kubernetes, objects: readonly Intent[]) {
  return Promise.all(objects.map(async object => expectValue(await kubernetes.create(object))));
}

function allPolicies(): readonly Intent[] {
  return [...kindPolicies.flatMap(({ policies }) => policies), ...defaultPolicies.map(([, [policy]]) => policy)].filter(
    policy => policy !== undefined,
  );
}

function allBindings(): readonly Intent[] {
  const ofStates = policySettings.flatMap(({ name, states }) => states.map(state => [state, name] as const));
  const namespacesOf = Map.groupBy(ofStates, ([state]) => state);
  return [
    ...kindPolicies.flatMap(({ bindings }) => bindings.map(binding => within(binding, 'NotIn', [defaultsNamespace]))),
    ...[...namespacesOf].flatMap(([state, names]) =>
      bindingsOf(state).map(binding =>
        within(
          binding,
          'In',
          names.map(([, name]) => name),
        ),
      ),
    ),
    ...bindingsOf('undefaulted').map(binding => within(binding, 'In', [undefaultedNamespace])),
    ...defaultPolicies.flatMap(([, [, binding]]) =>
      binding === undefined ? [] : [within(binding, 'In', [defaultsNamespace])],
    ),
  ];
}

function within(binding: PolicyManifest, operator: 'In' | 'NotIn', values: readonly string[]): Intent {
  const namespaceSelector = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator, values }] };
  return { ...binding, spec: { ...binding.spec, matchResources: { namespaceSelector } } };
}

function toTryWrite(http: RawHttp, versions: ReadonlyMap<string, string>): PolicyServer['tryWrite'] {
  return (namespace, { kind, object, old }) => {
    const { group, plural } = policyKinds[kind];
    const path = `/apis/${group}/${policyVersion}/namespaces/${namespace}/${plural}`;
    const resourceVersion = versions.get(`${namespace} ${kind}`);
    const body = withMetadata(object, { namespace, ...(old === undefined ? {} : { resourceVersion }) });
    const options = { query: { dryRun: 'All' } };
    return old === undefined ? http.post(path, body, options) : http.put(`${path}/stored`, body, options);
  };
}

function withMetadata(object: JsonObject, change: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), ...change } }; // True: it is a written object.
}

/**
 * An API server uses policies some time after they are stored, in the order in which they were stored. Policies that read
 * claims refuse all writes until their claims are known.
 */
async function untilActive(server: PolicyServer): Promise<void> {
  const [setting] = policySettings;
  const accepted = aValid('IPAddress', 'new');
  const refused = { ...accepted, spec: { ...(accepted['spec'] as JsonObject), claimRef: { name: 'claim' }, poolRef: otherPool } }; // True: it is a written object.
  const check = aValid('MachineHealthCheck', 'new');
  const namespace = setting?.name ?? '';
  await vi.waitFor(async () => {
    const answers = await Promise.all([
      server.tryWrite(namespace, { kind: 'IPAddress', object: refused }),
      server.tryWrite(namespace, { kind: 'IPAddress', object: accepted }),
      server.tryWrite(defaultsNamespace, { kind: 'ClusterResourceSet', object: withoutStrategy() }),
      server.tryWrite(undefaultedNamespace, { kind: 'MachineHealthCheck', object: withMetadata(check, { labels: {} }) }),
    ]);
    const statuses = answers.map(({ status }) => status).join();
    const set = JSON.stringify(answers[2]?.body ?? null).includes('ApplyOnce');
    if (statuses !== '403,201,201,422' || !set) {
      throw new Error(`Policies are not active yet: ${statuses}, ${answers[0]?.text}`);
    }
  }, patience);
}

const otherPool = { apiGroup: 'ipam.example.com', kind: 'Pool', name: 'other' };

function withoutStrategy(): JsonObject {
  const object = aValid('ClusterResourceSet', 'new');
  const { strategy: _, ...spec } = object['spec'] as JsonObject; // True: it is a written object.
  return { ...object, spec };
}
