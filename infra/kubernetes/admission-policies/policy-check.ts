// The form of a row of the table of checks, which becomes one validation of a ValidatingAdmissionPolicy.
import { admittedVersion } from '../../../shared/admission/hooks.ts';

/** The kinds that have policies. */
export const policyKinds = {
  Machine: { group: 'cluster.x-k8s.io', plural: 'machines' },
  MachineSet: { group: 'cluster.x-k8s.io', plural: 'machinesets' },
  MachineDeployment: { group: 'cluster.x-k8s.io', plural: 'machinedeployments' },
  MachinePool: { group: 'cluster.x-k8s.io', plural: 'machinepools' },
  MachineHealthCheck: { group: 'cluster.x-k8s.io', plural: 'machinehealthchecks' },
  MachineDrainRule: { group: 'cluster.x-k8s.io', plural: 'machinedrainrules' },
  ClusterResourceSet: { group: 'addons.cluster.x-k8s.io', plural: 'clusterresourcesets' },
  ClusterResourceSetBinding: { group: 'addons.cluster.x-k8s.io', plural: 'clusterresourcesetbindings' },
  IPAddress: { group: 'ipam.cluster.x-k8s.io', plural: 'ipaddresses' },
  IPAddressClaim: { group: 'ipam.cluster.x-k8s.io', plural: 'ipaddressclaims' },
} as const;

export type PolicyKind = keyof typeof policyKinds;

/** The version that the expressions are written for. Requests in other versions are converted. */
export const policyVersion = admittedVersion;

/**
 * The state in which a check holds. Its policy is always installed and has its own binding, so that the state is a choice
 * of bindings.
 */
export const checkStates = {
  machinePoolOff: { folder: 'machine-pool-off', why: 'the feature gate MachinePool is off' },
  taintsOff: { folder: 'taints-off', why: 'the feature gate MachineTaintPropagation is off' },
  taintsOn: { folder: 'taints-on', why: 'the feature gate MachineTaintPropagation is on' },
  preflightChecksOn: { folder: 'preflight-checks-on', why: 'the feature gate MachineSetPreflightChecks is on' },
} as const;

export type CheckState = keyof typeof checkStates;

/** The states of upstream's default gates: MachinePool and MachineSetPreflightChecks on, MachineTaintPropagation off. */
export const defaultStates: readonly CheckState[] = ['taintsOff', 'preflightChecksOn'];

/** How the verdict of a policy differs from that of the rule. */
export type VerdictDifference =
  | 'numbers of 20 digits are refused'
  | 'templates with other braces or letters beyond ASCII are refused'
  | 'sizes are counted in characters'
  | 'zones and IPv4-mapped addresses are refused'
  | 'claims of an informer, not read at the time of the write'
  /** The rule has no check, because its default comes first. */
  | 'refused where the rule sets the value';

export interface PolicyCheck {
  readonly kind: PolicyKind;
  /** The name of the rule. A rule of several kinds has one name. */
  readonly rule: string;
  /** True for an object that is accepted. */
  readonly expression: string;
  /** The text without parts of the object. It is used if `messageExpression` fails. */
  readonly message: string;
  readonly messageExpression?: string;
  /** Default: `Invalid` (422). */
  readonly reason?: 'Forbidden';
  /** Absent: the check always holds. */
  readonly state?: CheckState;
  /** Whether the expression reads `params`, an IPAddressClaim. */
  readonly readsClaims?: true;
  /** Field and type of the message are those of the rule. The value or the detail is shorter. */
  readonly hasShortText?: true;
  readonly verdictDiffers?: VerdictDifference;
}
