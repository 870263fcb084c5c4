// A kube-apiserver with all policies, whose bindings are limited to one namespace for each setting.
import type { Intent, JsonObject, Kubernetes } from '@capi-serverless/apimachinery';
import { vi } from 'vitest';
import { defaultPolicies } from '../../../infra/kubernetes/admission-policies/default-policies.ts';
import {
  type PolicyKind,
  policyKinds,
  policyVersion,
} from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import {
  bindingsOf,
  kindPolicies,
  type PolicyManifest,
} from '../../../infra/kubernetes/admission-policies/policy-manifests.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createKubernetes } from '../../../shared/kubernetes/rest/client.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { defaultSetting, policySettings } from '../../support/policies/expected-verdict.ts';
import { aValid, type PolicyWrite, writtenKinds } from '../../support/policies/written-objects.ts';
import { createRawHttp, type RawAnswer, type RawHttp } from '../../support/raw-http.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { expectValue } from '../answers.ts';

/** A namespace with the defaults, and with the checks of the default gates. The others have checks only. */
export const defaultsNamespace = 'defaults';
const settings = [...policySettings, { ...defaultSetting, name: defaultsNamespace }];

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
  await installDefinitions(
    kubernetes,
    coreCrds.filter(({ spec }) => kinds.has(spec.names.kind)),
  );
  const versions = await storeObjects(kubernetes);
  await createAll(kubernetes, allPolicies());
  await createAll(kubernetes, allBindings());
  const server = { http, tryWrite: toTryWrite(http, versions), stop: () => plane.stop() };
  await untilActive(server);
  return server;
}

/** Creates the stored object of each kind in each namespace, before a policy can refuse it. Returns their versions. */
async function storeObjects(kubernetes: Kubernetes): Promise<ReadonlyMap<string, string>> {
  const namespaces = settings.map(({ name }) => name);
  await createAll(
    kubernetes,
    namespaces.map(name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  );
  const stored = [
    ...namespaces.flatMap(namespace => [
      aValid('IPAddressClaim', 'claim', namespace),
      ...writtenKinds.map(kind => aValid(kind, 'stored', namespace)),
    ]),
    ...invalidKinds.map(anInvalid),
  ];
  const created = await createAll(kubernetes, stored as readonly unknown[] as readonly Intent[]); // True: they have all parts of an Intent.
  return new Map(
    created
      .filter(({ metadata }) => metadata.name === 'stored')
      .map(({ kind, metadata }) => [`${metadata.namespace} ${kind}`, metadata.resourceVersion] as const),
  );
}

const invalidKinds = ['Machine', 'MachineSet'] as const;

/** An object without bootstrap data, which no schema refuses. It has a finalizer. */
export function anInvalid(kind: (typeof invalidKinds)[number]): JsonObject {
  const object = aValid(kind, 'invalid', defaultsNamespace);
  const spec = object['spec'] as JsonObject & { readonly template?: { readonly spec: JsonObject } }; // True: of both kinds.
  const { template } = spec;
  const broken = { bootstrap: {} };
  const changed =
    template === undefined ? broken : { template: { ...template, spec: { ...template.spec, ...broken } } };
  return withMetadata({ ...object, spec: { ...spec, ...changed } }, { finalizers: ['example.com/finalizer'] });
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
  const ofStates = settings.flatMap(({ name, states }) => states.map(state => [state, name] as const));
  const namespacesOf = Map.groupBy(ofStates, ([state]) => state);
  return [
    ...kindPolicies.flatMap(({ bindings }) => bindings),
    ...[...namespacesOf].flatMap(([state, found]) => {
      const names = found.map(([, name]) => name);
      return bindingsOf(state).map(binding => within(binding, names));
    }),
    ...defaultPolicies.flatMap(([, [, binding]]) =>
      binding === undefined ? [] : [within(binding, [defaultsNamespace])],
    ),
  ];
}

function within(binding: PolicyManifest, values: readonly string[]): Intent {
  const namespaceSelector = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] };
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
 * An API server uses policies some time after they are stored. Policies that read claims refuse all writes until their
 * claims are known. Each policy is tried with its last check: a namespace, and a write with the expected status.
 */
async function untilActive(server: PolicyServer): Promise<void> {
  const claimed = aValid('IPAddress', 'new');
  const wrongPool = withSpec(claimed, { poolRef: { apiGroup: 'ipam.example.com', kind: 'Pool', name: 'other' } });
  const unlabelled = (kind: PolicyKind) => withMetadata(aValid(kind, 'new'), { labels: {} });
  await vi.waitFor(async () => {
    for (const { name } of policySettings) {
      await expectStatus(server, name, { kind: 'IPAddress', object: wrongPool }, 403);
      await expectStatus(server, name, { kind: 'IPAddress', object: claimed }, 201);
      await expectStatus(server, name, { kind: 'MachineHealthCheck', object: unlabelled('MachineHealthCheck') }, 422);
    }
    for (const kind of labelledKinds) {
      await expectStatus(server, defaultsNamespace, { kind, object: unlabelled(kind) }, 201);
    }
  }, patience);
}

const labelledKinds = ['Machine', 'MachineSet', 'MachineDeployment', 'MachinePool', 'MachineHealthCheck'] as const;

async function expectStatus(server: PolicyServer, namespace: string, write: PolicyWrite, status: number) {
  const answer = await server.tryWrite(namespace, write);
  if (answer.status !== status) {
    throw new Error(`Policies are not active in ${namespace}: ${answer.status} instead of ${status}, ${answer.text}`);
  }
}

function withSpec(object: JsonObject, change: JsonObject): JsonObject {
  return { ...object, spec: { ...(object['spec'] as JsonObject), ...change } }; // True: it is a written object.
}
