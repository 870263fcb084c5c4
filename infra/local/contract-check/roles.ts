// Which part of the provider contract a kind plays, as its name tells by the conventions of Cluster API's providers.

export type Role = 'infraCluster' | 'infraMachine' | 'infraMachinePool' | 'controlPlane' | 'bootstrap';

export interface Part {
  readonly role: Role;
  /** The kind holds what objects of that role are made from. */
  readonly isTemplate: boolean;
}

const endings: readonly (readonly [ending: string, role: Role])[] = [
  ['ControlPlane', 'controlPlane'],
  ['MachinePool', 'infraMachinePool'],
  ['Machine', 'infraMachine'],
  ['Cluster', 'infraCluster'],
  ['Config', 'bootstrap'],
];

const template = 'Template';

/** What messages call an object of the role. */
export const roleNames: Readonly<Record<Role, string>> = {
  infraCluster: 'infrastructure cluster',
  infraMachine: 'infrastructure machine',
  infraMachinePool: 'infrastructure machine pool',
  controlPlane: 'control plane',
  bootstrap: 'bootstrap config',
};

/** `undefined`: no part that the contract knows. */
export function partOf(kind: string): Part | undefined {
  const isTemplate = kind.endsWith(template);
  const base = baseOf(kind);
  const role = endings.find(([ending]) => base.endsWith(ending))?.[1];
  return role === undefined ? undefined : { role, isTemplate };
}

/** Of a template the kind that is made from it; any other kind itself. */
export function baseOf(kind: string): string {
  return kind.endsWith(template) ? kind.slice(0, -template.length) : kind;
}

export function templateOf(kind: string): string {
  return `${kind}${template}`;
}
