// The feature gates of the upstream manager that change the behaviour of this project, in the syntax of the manager's
// flag.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';

export interface FeatureGates {
  /**
   * ClusterClasses are reconciled. With RuntimeSDK, the deletion of a Cluster with topology waits for its
   * BeforeClusterDelete hook.
   */
  readonly ClusterTopology: boolean;
  /** ExtensionConfigs are reconciled, and extensions are called. */
  readonly RuntimeSDK: boolean;
  /** MachinePools are reconciled, counted, and deleted with their Cluster. */
  readonly MachinePool: boolean;
  /** ConfigMaps and Secrets are applied to the API servers of Clusters. In Cluster API v1.14, this is always on. */
  readonly ClusterResourceSet: boolean;
  /** Machines are updated in place by an extension. Requires RuntimeSDK. */
  readonly InPlaceUpdates: boolean;
  /** The taints of a Machine are written to its Node. */
  readonly MachineTaintPropagation: boolean;
}

interface Gated {
  readonly gate?: keyof FeatureGates;
}

/** Returns the items that are enabled with these gates, and of declarations those watches that are. */
export function ofGates<T extends Gated & { readonly watches?: readonly Gated[] }>(
  items: readonly T[],
  gates: FeatureGates,
): readonly T[] {
  const isOn = ({ gate }: Gated): boolean => gate === undefined || gates[gate];
  return items
    .filter(isOn)
    .map(item =>
      item.watches === undefined || item.watches.every(isOn) ? item : { ...item, watches: item.watches.filter(isOn) },
    );
}

/** The default values of upstream. */
export const defaultFeatureGates: FeatureGates = {
  ClusterTopology: false,
  RuntimeSDK: false,
  MachinePool: true,
  ClusterResourceSet: true,
  InPlaceUpdates: false,
  MachineTaintPropagation: false,
};

const names = Object.keys(defaultFeatureGates) as readonly (keyof FeatureGates)[]; // true: it has no other keys

/** Returns the gates for which `isEnabled` returns true. */
export function gatesWhere(isEnabled: (name: keyof FeatureGates) => boolean): FeatureGates {
  return Object.fromEntries(names.map(name => [name, isEnabled(name)])) as Record<keyof FeatureGates, boolean>; // true: each name has a value
}

/**
 * Parses `Name=true,Other=false`. An absent gate keeps its default. If a gate occurs twice, the last value is used.
 * InPlaceUpdates without RuntimeSDK is invalid.
 */
export function parseFeatureGates(text: string): Checked<FeatureGates> {
  const pairs = text.split(',').map(pair => pair.trim());
  let gates = defaultFeatureGates;
  for (const pair of pairs.filter(one => one !== '')) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    if (!Object.hasOwn(defaultFeatureGates, name)) {
      return invalid(`"${pair}" names no gate that is known here: ${names.join(', ')}`);
    }
    if (!['true', 'false'].includes(value)) {
      return invalid(`${name} must be true or false`);
    }
    gates = { ...gates, [name]: value === 'true' };
  }
  return gates.InPlaceUpdates && !gates.RuntimeSDK
    ? invalid('InPlaceUpdates=true requires RuntimeSDK=true')
    : valid(gates);
}
