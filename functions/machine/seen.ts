// The result of observe for one Machine: the input of the plan.
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { TemplateOwner } from '../../shared/api/machine/template-owner.ts';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { External } from '../../shared/external/external.ts';
import type { DeletionFacts, NamedNode } from './phases/deletion/deletion-facts.ts';
import type { ConnectionState } from './phases/node/connection.ts';
import type { NodeLookup } from './phases/node/lookup.ts';
import type { UpdateAnswer } from './phases/update/in-place-update.ts';
import type { MachineSettings } from './settings.ts';

/** What the Machine itself names, before its Node is looked up. */
export interface ObservedObjects {
  readonly machine: WholeMachine;
  /** `undefined` only for a Machine in deletion: its Cluster is gone. */
  readonly cluster: Cluster | undefined;
  /** `undefined` if the Machine belongs to no MachineSet. */
  readonly machineSet: TemplateOwner | undefined;
  /** `undefined` if the MachineSet belongs to no MachineDeployment. */
  readonly machineDeployment: TemplateOwner | undefined;
  readonly bootstrap: External;
  readonly infrastructure: External;
  readonly settings: MachineSettings;
}

/** A pass that runs the phases. */
export interface ObservedMachine extends ObservedObjects {
  readonly step: 'phases';
  readonly lookup: NodeLookup;
  readonly connection: ConnectionState;
  /** The Node that the Machine names. Read only while the Machine is being deleted. */
  readonly namedNode: NamedNode;
  /** What the stages of the deletion have read. Empty if the Machine is not being deleted. */
  readonly deletion: DeletionFacts;
  /** The answer of the hook UpdateMachine. `undefined` if it was not called. */
  readonly update: UpdateAnswer | undefined;
  /** The time for reads was up before all were answered. What is stored about unread objects is kept. */
  readonly isLate?: true;
}

/** A pass that runs no phase. */
export type EarlyEnd =
  /** The finalizer is missing. This is the only write of the pass. */
  | { readonly step: 'finalizer'; readonly machine: WholeMachine }
  /** The Paused condition is missing or outdated. This is the only write of the pass. */
  | { readonly step: 'pausedCondition'; readonly machine: WholeMachine; readonly isClusterPaused: boolean }
  /** The Cluster or an owner could not be read. The pass writes and reports nothing. */
  | { readonly step: 'blocked'; readonly error: string };
