// The ValidatingAdmissionPolicies of the table of checks, and their bindings.
import { type Intent, withoutUndefined } from '@capi-serverless/apimachinery';
import { notBeingDeleted } from '../../../shared/admission/hooks.ts';
import { labels } from '../roles.ts';
import { policyChecks, policyVariables } from './checks.ts';
import {
  type CheckState,
  checkStates,
  type PolicyCheck,
  type PolicyKind,
  policyKinds,
  policyVersion,
} from './policy-check.ts';

export interface PolicyManifest extends Intent {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The checks of one kind that have one binding. */
interface PolicyGroup {
  readonly kind: PolicyKind;
  readonly state: CheckState | undefined;
  readonly readsClaims: boolean;
  readonly checks: readonly PolicyCheck[];
}

const apiVersion = 'admissionregistration.k8s.io/v1';
const domain = 'capi-serverless.dev';
const claimVersion = `${policyKinds.IPAddressClaim.group}/${policyVersion}`;

const groups: readonly PolicyGroup[] = [
  ...Map.groupBy(policyChecks, ({ kind, state, readsClaims }) => `${kind} ${state} ${readsClaims}`).values(),
].flatMap(checks => {
  const [first] = checks;
  return first === undefined
    ? []
    : [{ kind: first.kind, state: first.state, readsClaims: first.readsClaims === true, checks }];
});

function nameOf({ kind, state, readsClaims }: Omit<PolicyGroup, 'checks'>): string {
  const suffix = readsClaims ? '-of-claims' : '';
  return nameOfKind(kind, state === undefined ? suffix : `-${checkStates[state].folder}`);
}

/** The name of a policy, and of its binding. */
export function nameOfKind(kind: PolicyKind, suffix = ''): string {
  return `${policyKinds[kind].plural}${suffix}.${domain}`;
}

/** The parts that policies of both types have. */
export function commonSpec(kind: PolicyKind) {
  const { group, plural } = policyKinds[kind];
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      resourceRules: [
        { apiGroups: [group], apiVersions: [policyVersion], operations: ['CREATE', 'UPDATE'], resources: [plural] },
      ],
    },
    matchConditions: [notBeingDeleted],
  };
}

/** The variables that these expressions use, with those that they use themselves, in the order of their definition. */
export function usedVariables(
  defined: Readonly<Record<string, string>>,
  expressions: readonly string[],
): readonly { readonly name: string; readonly expression: string }[] {
  const text = expressions.join('\n');
  const used = Object.entries(defined).filter(([name]) => new RegExp(`\\bvariables\\.${name}\\b`).test(text));
  const found = used.map(([, expression]) => expression).filter(expression => !expressions.includes(expression));
  return found.length > 0
    ? usedVariables(defined, [...expressions, ...found])
    : used.map(([name, expression]) => ({ name, expression }));
}

function toPolicy(group: PolicyGroup): PolicyManifest {
  const { kind, checks, readsClaims } = group;
  const expressions = checks.flatMap(({ expression, messageExpression = '' }) => [expression, messageExpression]);
  const variables = usedVariables(policyVariables[kind] ?? {}, expressions);
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: nameOf(group), labels },
    spec: {
      ...commonSpec(kind),
      ...(readsClaims ? { paramKind: { apiVersion: claimVersion, kind: 'IPAddressClaim' } } : {}),
      ...(variables.length === 0 ? {} : { variables }),
      validations: checks.map(({ expression, message, messageExpression, reason }) => ({
        expression,
        message,
        ...withoutUndefined({ messageExpression, reason }),
      })),
    },
  };
}

function toBinding(group: PolicyGroup): PolicyManifest {
  const name = nameOf(group);
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name, labels },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      // The API server evaluates the policy once for each claim in the namespace of the address.
      ...(group.readsClaims ? { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } } : {}),
    },
  };
}

/** The policies of one kind, and the bindings of those that always hold. */
interface KindPolicies {
  readonly kind: PolicyKind;
  readonly policies: readonly PolicyManifest[];
  readonly bindings: readonly PolicyManifest[];
}

const kinds = Object.keys(policyKinds) as readonly PolicyKind[]; // True: these are its keys.

export const kindPolicies: readonly KindPolicies[] = kinds.map(kind => {
  const own = groups.filter(group => group.kind === kind);
  return {
    kind,
    policies: own.map(toPolicy),
    bindings: own.filter(({ state }) => state === undefined).map(toBinding),
  };
});

/** The bindings of the policies that hold in this state. */
export function bindingsOf(state: CheckState): readonly PolicyManifest[] {
  return groups.filter(group => group.state === state).map(toBinding);
}
