// What the rules of Cluster API's webhooks say about a write, in the form that policies can be compared with.
import { printFieldError, sameJson, valueAt } from '@capi-serverless/apimachinery';
import { policyChecks } from '../../../infra/kubernetes/admission-policies/checks.ts';
import type { CheckState, PolicyCheck } from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { policyKinds } from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { rulesOf } from '../../../shared/admission/kinds/core-rules.ts';
import type { KindRules, RuleGates } from '../../../shared/admission/kinds/kind-rules.ts';
import { aValid, type PolicyWrite } from './written-objects.ts';

/** Feature gates, and the states of the bindings that belong to them. */
export interface PolicySetting {
  readonly name: string;
  readonly gates: RuleGates;
  readonly states: readonly CheckState[];
}

export const policySettings: readonly PolicySetting[] = [
  {
    name: 'default-gates',
    gates: { machinePool: true, machineSetPreflightChecks: true, taintPropagation: false },
    states: ['taintsOff', 'preflightChecksOn'],
  },
  {
    name: 'taints-on',
    gates: { machinePool: true, machineSetPreflightChecks: false, taintPropagation: true },
    states: ['taintsOn'],
  },
  {
    name: 'pools-off',
    gates: { machinePool: false, machineSetPreflightChecks: false, taintPropagation: true },
    states: ['machinePoolOff', 'taintsOn'],
  },
];

/** The checks of a kind that hold with these bindings. */
export function checksOf({ kind }: Pick<PolicyWrite, 'kind'>, { states }: Pick<PolicySetting, 'states'>) {
  return policyChecks.filter(
    check => check.kind === kind && (check.state === undefined || states.includes(check.state)),
  );
}

export function rulesOfKind(kind: PolicyWrite['kind']): KindRules {
  const rules = rulesOf({ group: policyKinds[kind].group, kind });
  if (rules === undefined) {
    throw new Error(`${kind} has no rules`);
  }
  return rules;
}

/** The texts of all errors of the rules. The object is checked as it is written, without defaults. */
export function errorsOfRules({ kind, object, old }: PolicyWrite, { gates }: PolicySetting): readonly string[] {
  const claimed = valueAt(object, 'spec.claimRef.name') === 'claim';
  const claim = claimed ? ({ object: aClaim } as const) : 'absent';
  const denial = rulesOfKind(kind).denialOf({ object, old, gates, claim });
  if (denial === undefined) {
    return [];
  }
  return denial.reason === 'Invalid' ? denial.errors.map(printFieldError) : [denial.message];
}

/** The claim of the addresses in the comparison. */
export const aClaim = aValid('IPAddressClaim', 'claim');

/** Whether the defaults set what a check of objects without defaults demands. */
export function isDefaulted(
  { kind, object, old }: PolicyWrite,
  { rule }: PolicyCheck,
  { gates }: PolicySetting,
): boolean {
  const result = rulesOfKind(kind).defaults?.({ object, old, gates });
  if (result?.ok !== true) {
    return true;
  }
  const label = 'cluster.x-k8s.io/cluster-name';
  const labelsAt = (from: unknown, path: string) => (valueAt(from, path) ?? {}) as Readonly<Record<string, unknown>>; // True: labels are a map.
  return rule === 'cluster name label'
    ? labelsAt(object, 'metadata.labels')[label] === labelsAt(result.value, 'metadata.labels')[label]
    : ['spec.selector', 'spec.template.metadata.labels'].every(path =>
        sameJson(valueAt(object, path), valueAt(result.value, path)),
      );
}

const parts = /^(\S+): (Invalid value|Forbidden|Required value|Too long): /;

/** Whether the message of a policy is the text of one of these errors, as exactly as the table says. */
export function isTextOf(message: string, errors: readonly string[], { messageDiffers }: PolicyCheck): boolean {
  if (messageDiffers === undefined) {
    return errors.some(error => error === message || error.includes(message));
  }
  const [, field = '', type = ''] = parts.exec(message) ?? [];
  return errors.some(error => error.includes(field) && error.includes(`: ${type}`));
}
