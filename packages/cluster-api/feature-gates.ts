// The feature gates of the upstream manager that change this project's behaviour, in the syntax of its flag.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';

export interface FeatureGates {
  /** ClusterClasses are reconciled. With RuntimeSDK, deleting a Cluster with topology waits for its BeforeClusterDelete hook. */
  readonly ClusterTopology: boolean;
  /** ExtensionConfigs are reconciled, and extensions are called. */
  readonly RuntimeSDK: boolean;
  /** MachinePools are counted and deleted with their Cluster. */
  readonly MachinePool: boolean;
}

/** The items that are enabled under these gates. */
export function ofGates<T extends { readonly gate?: keyof FeatureGates }>(
  declarations: readonly T[],
  gates: FeatureGates,
): readonly T[] {
  return declarations.filter(({ gate }) => gate === undefined || gates[gate]);
}

/** Upstream's defaults. */
export const defaultFeatureGates: FeatureGates = { ClusterTopology: false, RuntimeSDK: false, MachinePool: true };

/** `Name=true,Other=false`. An absent gate keeps its default; of a duplicate gate the last value applies. */
export function parseFeatureGates(text: string): Checked<FeatureGates> {
  const pairs = text.split(',').map(pair => pair.trim());
  let gates = defaultFeatureGates;
  for (const pair of pairs.filter(one => one !== '')) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    if (!Object.hasOwn(defaultFeatureGates, name)) {
      return invalid(`"${pair}" names no gate that is known here: ${Object.keys(defaultFeatureGates).join(', ')}`);
    }
    if (!['true', 'false'].includes(value)) {
      return invalid(`${name} must be true or false`);
    }
    gates = { ...gates, [name]: value === 'true' };
  }
  return valid(gates);
}
