// The table of checks and the defaults are complete, and their manifests are what they say.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { policyChecks } from '../../../../../infra/kubernetes/admission-policies/checks.ts';
import {
  defaultPolicies,
  policyDefaults,
} from '../../../../../infra/kubernetes/admission-policies/default-policies.ts';
import {
  type CheckState,
  checkStates,
  policyKinds,
} from '../../../../../infra/kubernetes/admission-policies/policy-check.ts';
import { bindingsOf, kindPolicies } from '../../../../../infra/kubernetes/admission-policies/policy-manifests.ts';
import { outputs } from '../../../../../infra/kubernetes/outputs.ts';
import { admittedKinds } from '../../../../../shared/admission/hooks.ts';

/** The rules of Cluster API's webhooks, and the kinds that have them. */
const checkedRules: Readonly<Record<string, string>> = {
  address: 'IPAddress',
  bootstrap: 'Machine MachineSet MachineDeployment MachinePool',
  'cluster name immutable': 'Machine MachineSet MachineDeployment MachinePool MachineHealthCheck',
  'cluster name label': 'Machine MachineSet MachineDeployment MachinePool MachineHealthCheck',
  'cluster name of the template': 'MachineSet MachineDeployment MachinePool',
  'drain order': 'MachineDrainRule',
  immutable: 'ClusterResourceSet ClusterResourceSetBinding IPAddress IPAddressClaim',
  'name as a label value': 'MachineDeployment',
  'naming template has a random part': 'MachineSet MachineDeployment',
  'naming template renders a name': 'MachineSet MachineDeployment',
  'number or percentage': 'MachineDeployment MachineHealthCheck',
  'pool of the claim': 'IPAddress',
  'pools gate': 'MachinePool',
  'selector matches the template': 'MachineSet MachineDeployment',
  'selector not empty': 'MachineHealthCheck ClusterResourceSet',
  'selector of Machines': 'MachineSet MachineDeployment',
  'selector of the Cluster': 'MachineHealthCheck',
  'selector syntax': 'MachineSet MachineDeployment MachineHealthCheck MachineDrainRule ClusterResourceSet',
  'skipped preflight checks': 'MachineSet MachineDeployment',
  'startup timeout': 'MachineHealthCheck',
  'surge or unavailable': 'MachineDeployment',
  'taint keys': 'Machine MachineSet MachineDeployment',
  'taints gate': 'Machine MachineSet MachineDeployment',
  'taints of pools': 'MachinePool',
  'taints of workers': 'Machine MachineSet MachineDeployment',
  'template metadata': 'MachineSet MachineDeployment MachinePool',
  version: 'Machine MachineSet MachineDeployment MachinePool',
  'version prefix': 'Machine MachineSet MachineDeployment MachinePool',
};

const defaultedRules: Readonly<Record<string, string>> = {
  'cluster name label': 'Machine MachineSet MachineDeployment MachinePool MachineHealthCheck',
  'deletion timeout': 'Machine MachinePool',
  replicas: 'MachineSet MachineDeployment MachinePool',
  'selector of Machines': 'MachineSet MachineDeployment',
  'startup timeout': 'MachineHealthCheck',
  strategy: 'ClusterResourceSet',
  'strategy type': 'MachineDeployment',
  'surge and unavailable': 'MachineDeployment',
  'version prefix': 'Machine MachineSet MachineDeployment MachinePool',
};

function byRule(rows: readonly { readonly rule: string; readonly kind: string }[]) {
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ rule }) => rule)].map(([rule, found]) => [
      rule,
      [...new Set(found.map(({ kind }) => kind))].toSorted(),
    ]),
  );
}

const toLists = (rules: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(rules).map(([rule, kinds]) => [rule, kinds.split(' ').toSorted()]));

const states = Object.keys(checkStates) as readonly CheckState[]; // True: these are its keys.
const folder = path.resolve(import.meta.dirname, '../../../../../infra/kubernetes');

describe('the policies', () => {
  it('have all rules of all kinds', () => {
    expect(byRule(policyChecks)).toEqual(toLists(checkedRules));
    expect(byRule(policyDefaults)).toEqual(toLists(defaultedRules));
  });

  it('exist for all kinds with webhooks whose rules read no other objects', () => {
    const others = ['Cluster', 'ClusterClass', 'ExtensionConfig'];
    const wanted = admittedKinds.filter(({ kind }) => !others.includes(kind));
    expect(policyKinds).toEqual(Object.fromEntries(wanted.map(({ kind, group, plural }) => [kind, { group, plural }])));
    const defaulted = wanted.filter(({ hasDefaults }) => hasDefaults).map(({ kind }) => kind);
    expect(defaultPolicies.map(([kind]) => kind)).toEqual(defaulted);
  });

  it('have one binding each: always, or in one state', () => {
    const policies = kindPolicies.flatMap(each => each.policies.map(({ metadata }) => metadata.name));
    const bindings = [...kindPolicies.flatMap(each => each.bindings), ...states.flatMap(bindingsOf)];
    expect(bindings.map(({ spec }) => spec['policyName']).toSorted()).toEqual(policies.toSorted());
  });

  it('fail closed, and leave objects in deletion alone', () => {
    const all = [...kindPolicies.flatMap(each => each.policies), ...defaultPolicies.map(([, [policy]]) => policy)];
    for (const policy of all) {
      expect(policy?.spec).toMatchObject({
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          resourceRules: [{ apiVersions: ['v1beta2'], operations: ['CREATE', 'UPDATE'] }],
        },
        matchConditions: [{ name: 'not-being-deleted', expression: expect.stringContaining('oldObject') }],
      });
    }
  });

  it('have messages that API servers accept: one line, not too long', () => {
    for (const { message, expression, messageExpression = '' } of policyChecks) {
      expect(message).toMatch(/^\S.*\S$/);
      expect(Math.max(expression.length, messageExpression.length)).toBeLessThan(10_000);
    }
  });

  it.each(
    outputs.filter(output => output.path.startsWith('policies/')).map(output => [output.path, output.text] as const),
  )('are read back from %s by readers of both versions of YAML', (file, text) => {
    const read = (version: '1.1' | '1.2') => parseAllDocuments(text, { version }).map(each => each.toJS() as unknown);
    expect(read('1.1')).toEqual(read('1.2'));
    expect(readFileSync(path.join(folder, file), 'utf8')).toBe(text);
  });

  it('have kustomizations whose files exist', () => {
    const paths = new Set(outputs.map(output => output.path));
    const files = outputs.filter(({ path: file }) => /^policies\/.*\/kustomization\.yaml$/.test(file));
    expect(files).toHaveLength(states.length + 3);
    for (const { path: file, text } of files) {
      const { resources } = parse(text) as { readonly resources: readonly string[] }; // True: the generator writes them.
      const found = resources.map(each => path.posix.join(path.posix.dirname(file), each));
      expect(found.filter(each => !paths.has(each) && !paths.has(`${each}/kustomization.yaml`))).toEqual([]);
    }
  });
});
