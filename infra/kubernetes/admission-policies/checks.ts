// The table of checks: the validations of all policies. The rules themselves are those of shared/admission/kinds, and a
// test compares both.
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { poolNameLabel } from '../../../shared/api/machine/reader.ts';
import { type CheckDraft, toChecks } from './check-drafts.ts';
import { isCreated, isFilledSelector, isSelectorIfSet, literal, quoted } from './expressions.ts';
import type { PolicyCheck, PolicyKind } from './policy-check.ts';
import {
  amountCheck,
  bootstrapCheck,
  clusterChecks,
  filledSelectorCheck,
  labelVariables,
  namingChecks,
  namingVariables,
  optional,
  preflightCheck,
  preflightVariables,
  selectorOfVariables,
  selectorSyntaxCheck,
  selectorVariables,
  taintChecks,
  taintVariables,
  templateClusterCheck,
  templateMetadataChecks,
  templateSelectorChecks,
  templateVariables,
  versionChecks,
} from './shared-checks.ts';

const template = 'spec.template.spec';
const isControlPlane = "'cluster.x-k8s.io/control-plane' in variables.labels";
const isOfPool = `${literal(poolNameLabel)} in variables.labels || object.metadata.?ownerReferences.orValue([]).exists(o, o.kind == 'MachinePool')`;

/** Without a requirement, a selector would select the Machines of others. */
const selectorOfMachines = {
  rule: 'selector of Machines',
  field: 'spec.selector',
  type: 'Required value',
  verdictDiffers: 'refused where the rule sets the value',
} as const;

const machineSetChecks: readonly CheckDraft[] = [
  bootstrapCheck(template),
  ...templateSelectorChecks(),
  preflightCheck,
  ...clusterChecks(),
  templateClusterCheck,
  ...versionChecks(template),
  ...taintChecks(template),
  ...namingChecks(),
  ...templateMetadataChecks(),
  { ...selectorOfMachines, expression: isFilledSelector(selectorOfVariables), detail: 'selector must not be empty' },
];

const rollingUpdate = 'spec.rollout.strategy.rollingUpdate';
const amount = (field: string) => `${optional(`${rollingUpdate}.${field}`)}.orValue(1)`;
const namesCluster = (labels: string) =>
  `variables.${labels}[?${literal(clusterNameLabel)}].orValue('') == object.spec.clusterName`;

const machineDeploymentChecks: readonly CheckDraft[] = [
  {
    rule: 'name as a label value',
    expression: 'object.metadata.name.size() <= 63',
    field: 'metadata.name',
    value: quoted('object.metadata.name'),
    detail: 'must be a valid label value: must be no more than 63 bytes',
  },
  bootstrapCheck(template),
  ...templateSelectorChecks('Forbidden'),
  preflightCheck,
  ...clusterChecks(),
  templateClusterCheck,
  amountCheck(`${rollingUpdate}.maxUnavailable`),
  amountCheck(`${rollingUpdate}.maxSurge`),
  {
    rule: 'surge or unavailable',
    expression: `!(${amount('maxUnavailable')} == 0 && ${amount('maxSurge')} == 0)`,
    field: rollingUpdate,
    value: literal('"0"'),
    detail: 'maxUnavailable and maxSurge cannot both be 0',
  },
  amountCheck('spec.remediation.maxInFlight'),
  ...versionChecks(template),
  ...namingChecks(),
  ...taintChecks(template),
  ...templateMetadataChecks(),
  {
    ...selectorOfMachines,
    expression: `${namesCluster('matchLabels')} && ${namesCluster('templateLabels')}`,
    detail: `selector and template must have the label ${clusterNameLabel} with spec.clusterName`,
  },
];

const machinePoolChecks: readonly CheckDraft[] = [
  {
    rule: 'pools gate',
    state: 'machinePoolOff',
    expression: 'false',
    field: 'spec',
    type: 'Forbidden',
    detail: 'can be set only if the MachinePool feature flag is enabled',
    reason: 'Forbidden',
  },
  bootstrapCheck(template),
  ...clusterChecks(),
  templateClusterCheck,
  ...versionChecks(template),
  {
    rule: 'taints of pools',
    expression: `object.${template}.?taints.orValue([]).size() == 0`,
    field: 'spec.taints',
    type: 'Forbidden',
    detail: 'taints feature for MachinePools is not yet implemented',
  },
  ...templateMetadataChecks(),
];

const startup = `${optional('spec.checks.nodeStartupTimeoutSeconds')}.orValue(0)`;

const machineHealthCheckChecks: readonly CheckDraft[] = [
  selectorSyntaxCheck('spec.selector'),
  filledSelectorCheck({ field: 'spec.selector', type: 'Required value', detail: 'selector must not be empty' }),
  {
    rule: 'selector of the Cluster',
    expression: `variables.matchLabels[?${literal(clusterNameLabel)}].orValue(object.spec.clusterName) == object.spec.clusterName`,
    field: 'spec.selector',
    detail: 'cannot specify a cluster selector other than the one specified by ClusterName',
    hasShortText: true,
  },
  ...clusterChecks(),
  {
    rule: 'startup timeout',
    expression: `${startup} == 0 || ${startup} >= 30`,
    field: 'spec.checks.nodeStartupTimeoutSeconds',
    value: `string(${startup})`,
    detail: 'must be at least 30s',
  },
  amountCheck('spec.remediation.triggerIf.unhealthyLessThanOrEqualTo'),
];

const selectorsOf = (list: string, ...fields: readonly string[]): CheckDraft => ({
  rule: 'selector syntax',
  expression: `object.spec.?${list}.orValue([]).all(s, ${fields.map(field => isSelectorIfSet('s', field)).join(' && ')})`,
  field: `spec.${list}`,
  detail: 'a key, an operator or a value of a selector is not valid',
  hasShortText: true,
});

const machineDrainRuleChecks: readonly CheckDraft[] = [
  {
    rule: 'drain order',
    expression: "!(object.spec.drain.behavior in ['Skip', 'WaitCompleted']) || !has(object.spec.drain.order)",
    field: 'spec.drain.order',
    value: 'string(object.spec.drain.order)',
    detail: 'order must not be set if drain behavior is "Skip" or "WaitCompleted"',
  },
  selectorsOf('machines', 'selector', 'clusterSelector'),
  selectorsOf('pods', 'selector', 'namespaceSelector'),
];

/** A text that was stored must not change. */
const immutableText = (field: string): CheckDraft => {
  const [before, after] = ['oldObject', 'object'].map(each => `${each}.spec.?${field}.orValue('')`);
  return {
    rule: 'immutable',
    expression: `${isCreated} || ${before} == '' || ${before} == ${after}`,
    field: `spec.${field}`,
    value: quoted(`${after}`),
    detail: 'field is immutable',
  };
};

const clusterResourceSetChecks: readonly CheckDraft[] = [
  selectorSyntaxCheck('spec.clusterSelector'),
  filledSelectorCheck({ field: 'spec.clusterSelector', value: "'{}'", detail: 'selector must not be empty' }),
  immutableText('strategy'),
  {
    rule: 'immutable',
    expression: `${isCreated} || object.spec.clusterSelector == oldObject.spec.clusterSelector`,
    field: 'spec.clusterSelector',
    detail: 'field is immutable',
    hasShortText: true,
  },
];

const immutableSpec = (kind: PolicyKind): CheckDraft => ({
  rule: 'immutable',
  expression: `${isCreated} || object.spec == oldObject.spec`,
  field: 'spec',
  type: 'Forbidden',
  detail: `${kind} spec is immutable`,
  reason: 'Forbidden',
  hasShortText: true,
});

const [address, prefix] = ['object.spec.address', 'object.spec.prefix'];
const pool = 'object.spec.poolRef';
const isSamePool = ['name', 'kind', 'apiGroup']
  .map(field => `params.spec.poolRef.${field} == ${pool}.${field}`)
  .join(' && ');
const ofCreation = (expression: string) => `oldObject != null || ${expression}`;
const ofAddresses = { reason: 'Forbidden', verdictDiffers: 'zones and IPv4-mapped addresses are refused' } as const;

const ipAddressChecks: readonly CheckDraft[] = [
  {
    ...ofAddresses,
    rule: 'address',
    expression: ofCreation(`isIP(${address})`),
    field: 'spec.address',
    value: quoted(address),
    detail: 'not a valid IP address',
  },
  {
    ...ofAddresses,
    rule: 'address',
    expression: ofCreation(`!isIP(${address}) || ip(${address}).family() == 6 || ${prefix} <= 32`),
    field: 'spec.prefix',
    value: `string(${prefix})`,
    detail: 'prefix is too large for an IPv4 address',
  },
  {
    ...ofAddresses,
    rule: 'address',
    expression: ofCreation("object.spec.?gateway.orValue('') == '' || isIP(object.spec.gateway)"),
    field: 'spec.gateway',
    value: quoted('object.spec.gateway'),
    detail: 'not a valid IP address',
  },
  immutableSpec('IPAddress'),
  {
    rule: 'pool of the claim',
    readsClaims: true,
    expression: ofCreation(`params.metadata.name != object.spec.claimRef.name || (${isSamePool})`),
    field: 'spec.poolRef',
    value: [
      literal('{"name":'),
      quoted(`${pool}.name`),
      literal(',"kind":'),
      quoted(`${pool}.kind`),
      literal(',"apiGroup":'),
      quoted(`${pool}.apiGroup`),
      literal('}'),
    ].join(' + '),
    detail: 'the referenced pool is different from the pool referenced by the claim this address should fulfill',
    reason: 'Forbidden',
    verdictDiffers: 'claims of an informer, not read at the time of the write',
  },
];

const machineChecks: readonly CheckDraft[] = [
  bootstrapCheck('spec', isOfPool),
  ...clusterChecks(),
  ...versionChecks('spec'),
  ...taintChecks('spec', isControlPlane),
];

export const policyChecks: readonly PolicyCheck[] = [
  ...toChecks('Machine', machineChecks),
  ...toChecks('MachineSet', machineSetChecks),
  ...toChecks('MachineDeployment', machineDeploymentChecks),
  ...toChecks('MachinePool', machinePoolChecks),
  ...toChecks('MachineHealthCheck', machineHealthCheckChecks),
  ...toChecks('MachineDrainRule', machineDrainRuleChecks),
  ...toChecks('ClusterResourceSet', clusterResourceSetChecks),
  ...toChecks('ClusterResourceSetBinding', [immutableText('clusterName')]),
  ...toChecks('IPAddress', ipAddressChecks),
  ...toChecks('IPAddressClaim', [immutableSpec('IPAddressClaim')]),
];

const templated = { ...labelVariables, ...templateVariables };
const selecting = { ...templated, ...selectorVariables('spec.selector') };
const replicated = { ...selecting, ...preflightVariables, ...taintVariables(template), ...namingVariables };

/** The variables of a kind. A policy has those that its expressions use. */
export const policyVariables: Readonly<Partial<Record<PolicyKind, Readonly<Record<string, string>>>>> = {
  Machine: { ...labelVariables, ...taintVariables('spec') },
  MachineSet: replicated,
  MachineDeployment: replicated,
  MachinePool: templated,
  MachineHealthCheck: { ...labelVariables, ...selectorVariables('spec.selector') },
  ClusterResourceSet: selectorVariables('spec.clusterSelector'),
};
