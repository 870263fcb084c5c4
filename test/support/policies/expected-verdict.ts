// What the rules of Cluster API's webhooks say about a write, in the form that policies can be compared with.
import { type JsonObject, printFieldError, sameJson, valueAt } from '@capi-serverless/apimachinery';
import { policyChecks } from '../../../infra/kubernetes/admission-policies/checks.ts';
import {
  type CheckState,
  type PolicyCheck,
  policyKinds,
  type VerdictDifference,
} from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { rulesOf } from '../../../shared/admission/kinds/core-rules.ts';
import type { KindRules, RuleGates } from '../../../shared/admission/kinds/kind-rules.ts';
import { aValid, type PolicyWrite } from './written-objects.ts';

/** Feature gates, and the states of the bindings that belong to them. */
export interface PolicySetting {
  readonly name: string;
  readonly gates: RuleGates;
  readonly states: readonly CheckState[];
}

export const defaultSetting: PolicySetting = {
  name: 'default-gates',
  gates: { machinePool: true, machineSetPreflightChecks: true, taintPropagation: false },
  states: ['taintsOff', 'preflightChecksOn'],
};

export const policySettings: readonly PolicySetting[] = [
  defaultSetting,
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

function rulesOfKind(kind: PolicyWrite['kind']): KindRules {
  const rules = rulesOf({ group: policyKinds[kind].group, kind });
  if (rules === undefined) {
    throw new Error(`${kind} has no rules`);
  }
  return rules;
}

/**
 * The texts of all errors of the rules. The object is checked as it is written, without defaults. Without the feature gate
 * MachinePool, the rules report nothing but that. Policies are independent, so that another one may report another error.
 */
export function errorsOfRules(write: PolicyWrite, { gates }: PolicySetting): readonly string[] {
  const isOff = write.kind === 'MachinePool' && !gates.machinePool;
  return [...errorsWith(gates, write), ...(isOff ? errorsWith({ ...gates, machinePool: true }, write) : [])];
}

function errorsWith(gates: RuleGates, { kind, object, old }: PolicyWrite): readonly string[] {
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

/** The object with the defaults of the rules, or `undefined` if they refuse it. */
export function withDefaults({ kind, object, old }: PolicyWrite, { gates }: PolicySetting): JsonObject | undefined {
  const { defaults } = rulesOfKind(kind);
  const result = defaults?.({ object, old, gates }) ?? ({ ok: true, value: object } as const);
  return result.ok ? result.value : undefined;
}

const selecting = ['spec.selector', 'spec.template.metadata.labels'];

/** Whether the defaults would change what this check reads. */
function lacksDefaults(write: PolicyWrite, { rule }: PolicyCheck, setting: PolicySetting): boolean {
  const defaulted = withDefaults(write, setting);
  const isSame = (read: (object: JsonObject) => unknown) =>
    defaulted === undefined || sameJson(read(write.object) ?? null, read(defaulted) ?? null);
  return rule === 'cluster name label'
    ? !isSame(object => textsAt(object, 'metadata.labels')['cluster.x-k8s.io/cluster-name'])
    : !selecting.every(path => isSame(object => valueAt(object, path)));
}

function textsAt(object: JsonObject, path: string): Readonly<Record<string, string>> {
  return (valueAt(object, path) ?? {}) as Readonly<Record<string, string>>; // True: labels and annotations are such maps.
}

const textAt = (object: JsonObject, path: string): string => String(valueAt(object, path) ?? '');
const placeholders = /\{\{ \.(random|cluster\.name|machineSet\.name) \}\}/g;
const outsideAscii = /[^\p{ASCII}]/u;

/** The writes for which a check may refuse what the rules accept. */
const refusedOnlyByPolicies: Readonly<
  Record<VerdictDifference, (write: PolicyWrite, check: PolicyCheck, setting: PolicySetting) => boolean>
> = {
  'numbers of 20 digits are refused': ({ object }) =>
    ['spec.version', 'spec.template.spec.version'].some(path => /\d{20}/.test(textAt(object, path))),
  'templates with other braces or letters beyond ASCII are refused': ({ object }) => {
    const rest = textAt(object, 'spec.machineNaming.template').replace(placeholders, '');
    return rest.includes('{') || outsideAscii.test(rest);
  },
  'sizes are counted in characters': () => false,
  'zones and IPv4-mapped addresses are refused': ({ object }) =>
    ['spec.address', 'spec.gateway'].some(path => /%|^::ffff:/.test(textAt(object, path))),
  'claims of an informer, not read at the time of the write': () => false,
  'refused where the rule sets the value': lacksDefaults,
};

/** Whether the table names the difference if this check refuses a write that the rules accept. */
export function isNamedRefusal(write: PolicyWrite, check: PolicyCheck, setting: PolicySetting): boolean {
  const { verdictDiffers } = check;
  return verdictDiffers !== undefined && refusedOnlyByPolicies[verdictDiffers](write, check, setting);
}

/** Whether the table names the difference if the policies accept a write that only this error refuses. */
export function isNamedAcceptance({ object }: PolicyWrite, error: string): boolean {
  const annotations = JSON.stringify(textsAt(object, 'spec.template.metadata.annotations'));
  return error.includes(': Too long: ') && outsideAscii.test(annotations);
}

const parts = /^(\S+): (Invalid value|Forbidden|Required value|Too long): /;

/** Whether the message of a policy is the text of one of these errors, as exactly as the table says. */
export function isTextOf(message: string, errors: readonly string[], { hasShortText }: PolicyCheck): boolean {
  if (hasShortText !== true) {
    return errors.some(error => error === message || error.includes(message));
  }
  const [, field = '', type = ''] = parts.exec(message) ?? [];
  return errors.some(error => error.includes(field) && error.includes(`: ${type}`));
}
