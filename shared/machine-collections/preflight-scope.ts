// Which preflight checks run before Machines are created or remediated.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { type Cluster, type ContractReference, isDefined } from '../api/cluster/reader.ts';
import type { WholeMachineSet } from '../api/machine-set/whole-machine-set.ts';
import type { MachineTemplateSpec } from './template-differences.ts';

export const preflightChecks = [
  'ControlPlaneIsStable',
  'KubernetesVersionSkew',
  'KubeadmVersionSkew',
  'ControlPlaneVersionSkew',
] as const;

export type PreflightCheck = (typeof preflightChecks)[number];

/** Enables or skips each check. */
export const allChecks = 'All';

const skipAnnotation = 'machineset.cluster.x-k8s.io/skip-preflight-checks';

/** The settings of a deployment that concern preflight checks. */
export interface PreflightSettings {
  /** Enabled preflight checks. `All` enables each. Empty: none. */
  readonly preflightChecks: readonly string[];
  /** Whether the deployment has the feature gate ClusterTopology. */
  readonly hasTopologies: boolean;
}

/** What the checks need of the bootstrap template: its annotations. */
type PreflightTemplate =
  | { readonly state: 'missing' | 'failed'; readonly problem: string }
  | { readonly state: 'found'; readonly object: Unstructured }
  | { readonly state: 'undefined' | 'noTemplate' };

export interface PreflightFacts {
  /** The MachineSet, or the MachineDeployment that will create it. */
  readonly machineSet: {
    readonly metadata: Pick<WholeMachineSet['metadata'], 'namespace' | 'name' | 'annotations'>;
    readonly spec: { readonly template: { readonly spec: MachineTemplateSpec } };
  };
  readonly cluster: Cluster | undefined;
  readonly bootstrap: PreflightTemplate;
  readonly settings: PreflightSettings;
}

/** The result of the preflight checks, before Machines are created or remediated. */
export type Preflight =
  | { readonly state: 'passed' }
  /** Some checks failed. Another pass tries again after a short time. */
  | { readonly state: 'failed'; readonly messages: readonly string[] }
  /** The checks could not be made. `problem` follows the name of the action. */
  | { readonly state: 'error'; readonly problem: string };

export type PreflightScope =
  /** No check runs. The control plane is not read. */
  | { readonly state: 'passed' }
  | { readonly state: 'error'; readonly problem: string }
  | {
      readonly state: 'open';
      readonly controlPlaneRef: ContractReference;
      readonly runs: (check: PreflightCheck) => boolean;
    };

/** The start of each error. It follows the name of the action. */
export const preflightProblem = 'failed to perform preflight checks';

const passed: PreflightScope = { state: 'passed' };

export function preflightScope({ machineSet, cluster, bootstrap, settings }: PreflightFacts): PreflightScope {
  const ofSet = machineSet.metadata.annotations[skipAnnotation] ?? '';
  if (ofSet === '' && (bootstrap.state === 'missing' || bootstrap.state === 'failed')) {
    const problem = `${preflightProblem}: failed to read ${skipAnnotation} annotation: ${bootstrap.problem}`;
    return { state: 'error', problem };
  }
  const ofTemplate = bootstrap.state === 'found' ? bootstrap.object.metadata.annotations?.[skipAnnotation] : undefined;
  const skipped = (ofSet === '' ? (ofTemplate ?? '') : ofSet).split(',').map(name => name.trim());
  const enabled = settings.preflightChecks;
  const controlPlaneRef = cluster?.spec.controlPlaneRef;
  if (
    enabled.length === 0 ||
    skipped.includes(allChecks) ||
    controlPlaneRef === undefined ||
    !isDefined(controlPlaneRef)
  ) {
    return passed;
  }
  return {
    state: 'open',
    controlPlaneRef,
    runs: check => (enabled.includes(allChecks) || enabled.includes(check)) && !skipped.includes(check),
  };
}
