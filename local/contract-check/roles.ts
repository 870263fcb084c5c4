// The contract role of a kind. It follows from the name and the naming conventions of Cluster API's providers.

export type ContractRole = 'infraCluster' | 'infraMachine' | 'infraMachinePool' | 'controlPlane' | 'bootstrap';

export interface Part {
  readonly role: ContractRole;
  /** Whether the kind is a template for objects of this role. */
  readonly isTemplate: boolean;
}

const endings: readonly (readonly [ending: string, role: ContractRole])[] = [
  ['ControlPlane', 'controlPlane'],
  ['MachinePool', 'infraMachinePool'],
  ['Machine', 'infraMachine'],
  ['Cluster', 'infraCluster'],
  ['Config', 'bootstrap'],
];

const template = 'Template';

/** The name of the role in messages. */
export const roleNames: Readonly<Record<ContractRole, string>> = {
  infraCluster: 'infrastructure cluster',
  infraMachine: 'infrastructure machine',
  infraMachinePool: 'infrastructure machine pool',
  controlPlane: 'control plane',
  bootstrap: 'bootstrap config',
};

/** The API groups of Cluster API's core, whose kinds are called like those of providers. */
export const ownGroups: ReadonlySet<string> = new Set([
  'cluster.x-k8s.io',
  'addons.cluster.x-k8s.io',
  'ipam.cluster.x-k8s.io',
  'runtime.cluster.x-k8s.io',
]);

/** Returns `undefined` if the kind has no role in the contract. */
export function partOf({ group, kind }: { readonly group: string; readonly kind: string }): Part | undefined {
  if (ownGroups.has(group)) {
    return undefined;
  }
  const isTemplate = kind.endsWith(template);
  const base = baseOf(kind);
  const role = endings.find(([ending]) => base.endsWith(ending))?.[1];
  return role === undefined ? undefined : { role, isTemplate };
}

/** Returns the kind that is created from a template. Returns any other kind unchanged. */
export function baseOf(kind: string): string {
  return kind.endsWith(template) ? kind.slice(0, -template.length) : kind;
}

export function templateOf(kind: string): string {
  return `${kind}${template}`;
}
