// All generated files of this folder and their sources. To add one, add an entry to `outputs`.
import { declarations } from '../../functions/declarations.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { defaultProviderGroups } from '../../shared/config/setting-defaults.ts';
import { accountManifests } from './account.ts';
import { defaultPolicies } from './admission-policies/default-policies.ts';
import { type CheckState, checkStates, defaultStates, policyKinds } from './admission-policies/policy-check.ts';
import { bindingsOf, kindPolicies } from './admission-policies/policy-manifests.ts';
import { aggregatedRole, toAggregatedBinding } from './aggregated-rbac.ts';
import { toAuditPolicy } from './audit-policy.ts';
import { forwarderManifests, forwarderSettings } from './forwarder.ts';
import { forwarderNodesBinding, forwarderNodesRole } from './forwarder-nodes.ts';
import { toAccountBindings, toFunctionBindings, toFunctionRules } from './functions-rbac.ts';
import { inventoryManifests } from './inventory.ts';
import { toDocument, toManifest, toManifests } from './manifest-yaml.ts';
import { toRole } from './roles.ts';
import { toWebhookBinding, type WebhookName, webhookNames, webhookRules } from './webhook-rbac.ts';

export interface Output {
  /** The path below this folder. */
  readonly path: string;
  readonly text: string;
}

export const auditPolicyPath = 'audit/policy.yaml';

/** The folders that contain only generated files, also in their folders. */
export const generatedFolders: readonly string[] = [
  'audit',
  'clusterctl',
  'crds',
  'rbac',
  'account',
  'aggregated',
  'forwarder',
  'forwarder-nodes',
  ...webhookNames,
  'policies',
];

const roles = toFunctionRules(declarations);

export const outputs: readonly Output[] = [
  {
    path: auditPolicyPath,
    text: toManifest('functions/reconcilers.ts', toDocument(toAuditPolicy(declarations, defaultProviderGroups))),
  },
  ...Object.entries(inventoryManifests).map(([name, manifest]) => ({
    path: `clusterctl/${name}.yaml`,
    text: toManifest('infra/kubernetes/inventory.ts', toDocument(manifest)),
  })),
  ...coreCrds.map(crd => toCrdOutput('crds', 'shared/api', crd)),
  ...simulatedCrds.map(crd => toCrdOutput('crds/simulated', 'local/provider/crds', crd)),
  ...roles.map(({ name, rules }) => ({
    path: `rbac/${name}.yaml`,
    text: toManifest('functions/reconcilers.ts', toRole({ name, rules })),
  })),
  {
    path: 'rbac/bindings.yaml',
    text: toManifests('functions/reconcilers.ts', toFunctionBindings(declarations).map(toDocument)),
  },
  toKustomization('rbac', { resources: [...roles.map(({ name }) => `${name}.yaml`), 'bindings.yaml'] }),
  {
    path: 'account/account.yaml',
    text: toManifests('infra/kubernetes/outputs.ts', accountManifests.map(toDocument)),
  },
  {
    path: 'account/bindings.yaml',
    text: toManifests('functions/reconcilers.ts', toAccountBindings(declarations).map(toDocument)),
  },
  toKustomization('account', { resources: ['../rbac', 'account.yaml', 'bindings.yaml'] }),
  {
    path: 'aggregated/cluster-role.yaml',
    text: toManifest('infra/kubernetes/aggregated-rbac.ts', toDocument(aggregatedRole)),
  },
  {
    path: 'aggregated/cluster-role-binding.yaml',
    text: toManifest('functions/reconcilers.ts', toDocument(toAggregatedBinding(declarations))),
  },
  toKustomization('aggregated', { resources: ['cluster-role.yaml', 'cluster-role-binding.yaml'] }),
  ...Object.entries(forwarderManifests).map(([name, manifest]) => ({
    path: `forwarder/${name}.yaml`,
    text: toManifest('infra/kubernetes/forwarder.ts', toDocument(manifest)),
  })),
  toKustomization('forwarder', {
    resources: Object.keys(forwarderManifests).map(name => `${name}.yaml`),
    configMapGenerator: [forwarderSettings],
  }),
  {
    path: 'forwarder-nodes/cluster-role.yaml',
    text: toManifest('infra/kubernetes/forwarder-nodes.ts', forwarderNodesRole),
  },
  {
    path: 'forwarder-nodes/cluster-role-binding.yaml',
    text: toManifest('infra/kubernetes/forwarder-nodes.ts', toDocument(forwarderNodesBinding)),
  },
  toKustomization('forwarder-nodes', { resources: ['cluster-role.yaml', 'cluster-role-binding.yaml'] }),
  ...webhookNames.flatMap(toWebhookOutputs),
  ...policyOutputs(),
];

function toWebhookOutputs(name: WebhookName): readonly Output[] {
  const source = 'infra/kubernetes/webhook-rbac.ts';
  const role = toRole({ name, rules: webhookRules[name] });
  return [
    { path: `${name}/cluster-role.yaml`, text: toManifest(source, role) },
    {
      path: `${name}/cluster-role-binding.yaml`,
      text: toManifest(source, toDocument(toWebhookBinding(name))),
    },
    toKustomization(name, { resources: ['cluster-role.yaml', 'cluster-role-binding.yaml'] }),
  ];
}

/** The checks of all kinds, the bindings of each state, those of upstream's default gates, and the defaults. */
function policyOutputs(): readonly Output[] {
  const states = Object.keys(checkStates) as readonly CheckState[]; // True: these are its keys.
  const fileOf = (kind: keyof typeof policyKinds) => `${policyKinds[kind].plural}.yaml`;
  const toOutput = (path: string, source: string, manifests: readonly object[]): Output => ({
    path: `policies/${path}`,
    text: toManifests(`infra/kubernetes/admission-policies/${source}`, manifests.map(toDocument)),
  });
  return [
    ...kindPolicies.map(({ kind, policies, bindings }) =>
      toOutput(`checks/${fileOf(kind)}`, 'checks.ts', [...policies, ...bindings]),
    ),
    toKustomization('policies/checks', { resources: kindPolicies.map(({ kind }) => fileOf(kind)) }),
    ...states.flatMap(state => [
      toOutput(`${checkStates[state].folder}/bindings.yaml`, 'checks.ts', bindingsOf(state)),
      toKustomization(`policies/${checkStates[state].folder}`, { resources: ['bindings.yaml'] }),
    ]),
    toKustomization('policies/default-gates', {
      resources: ['../checks', ...defaultStates.map(state => `../${checkStates[state].folder}`)],
    }),
    ...defaultPolicies.map(([kind, manifests]) =>
      toOutput(`defaults/${fileOf(kind)}`, 'default-policies.ts', manifests),
    ),
    toKustomization('policies/defaults', { resources: defaultPolicies.map(([kind]) => fileOf(kind)) }),
  ];
}

function toKustomization(folder: string, content: object): Output {
  const document = toDocument({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...content });
  return { path: `${folder}/kustomization.yaml`, text: toManifest('infra/kubernetes/outputs.ts', document) };
}

function toCrdOutput(folder: string, source: string, crd: CustomResourceDefinition): Output {
  return { path: `${folder}/${crd.metadata.name}.yaml`, text: toManifest(source, toDocument(crd)) };
}
