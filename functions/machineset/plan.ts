// The plan of one pass over a MachineSet, derived from the objects that were read. Both the actions and the report use it.
import { concluded, inOrder, type Outcomes, onlyIf } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { Digest } from '../../shared/names/random-characters.ts';
import { adoptionPhase } from './phases/adoption.ts';
import { deletionPhase } from './phases/delete-set.ts';
import { startUpdatePhase } from './phases/in-place/start-update.ts';
import { ownMetadataPhase } from './phases/own-metadata.ts';
import type { MachineSetPhase } from './phases/pass-progress.ts';
import { propagationPhase } from './phases/propagation/propagation.ts';
import { remediationPhase } from './phases/remediation/remediation.ts';
import { cloneFor, memberMetadata } from './phases/replicas/new-machine.ts';
import { replicasPhase } from './phases/replicas/replicas-phase.ts';
import { templatePhase } from './phases/set-templates.ts';
import type { MachineMember, MachineSetWork, MachinesRead, ObservedMachineSet, UnknownMachineSet } from './seen.ts';

export interface WholeMachineSetPlan extends MachineSetPhase {
  readonly seen: ObservedMachineSet;
  /** The Machines of the set after the pass. `undefined` if they are not known. */
  readonly machinesAfter: (outcomes: Outcomes) => readonly WholeMachine[] | undefined;
}

/** The MachineDeployment could not be read. The pass reports that nothing is known, and writes nothing else. */
export interface UnknownSetPlan {
  readonly seen: UnknownMachineSet;
  readonly actions: readonly [];
}

export type MachineSetPlan = UnknownSetPlan | WholeMachineSetPlan;

export function plan(seen: UnknownMachineSet | ObservedMachineSet, digest: Digest): MachineSetPlan {
  if (seen.step === 'noDeployment') {
    return { seen, actions: [] };
  }
  const { machines } = seen;
  const { machinesAfter, ...rest } =
    machines.state === 'failed' ? unknownMachines(machines.problem) : planListed(seen, machines, digest);
  return {
    seen,
    machinesAfter,
    ...inOrder([
      ownMetadataPhase(seen.stored, seen.machineSet),
      templatePhase('infrastructure', seen),
      templatePhase('bootstrap', seen),
      rest,
    ]),
  };
}

interface MachinesPhase extends MachineSetPhase, Pick<WholeMachineSetPlan, 'machinesAfter'> {}

/** A list that could not be read must neither create Machines nor end the deletion. */
function unknownMachines(problem: string): MachinesPhase {
  const error = `failed to get and adopt Machines for MachineSet: ${problem}`;
  return { ...concluded({ errors: [error] }), machinesAfter: () => undefined };
}

type Listed = Extract<MachinesRead, { state: 'listed' }>;

function planListed(seen: ObservedMachineSet, { members, adoptable }: Listed, digest: Digest): MachinesPhase {
  const machines = members.map(({ machine }) => machine);
  const adoption = adoptionPhase(seen.machineSet, adoptable);
  const phases =
    seen.work === undefined
      ? { ...deletionPhase(seen.machineSet, machines), machinesAfter: () => machines }
      : activePhases(seen, { members, work: seen.work, digest });
  // After an adoption, the members of this plan are not all. Another pass makes a new plan.
  const isComplete = (outcomes: Outcomes) => !adoption.hasAdopted(outcomes);
  return { ...inOrder([adoption, onlyIf(isComplete, phases)]), machinesAfter: phases.machinesAfter };
}

interface Active {
  readonly members: readonly MachineMember[];
  readonly work: MachineSetWork;
  readonly digest: Digest;
}

function activePhases(seen: ObservedMachineSet, { members, work, digest }: Active): MachinesPhase {
  const { machineSet } = seen;
  const machines = members.map(({ machine }) => machine);
  const metadata = memberMetadata(machineSet);
  const remediation = remediationPhase(work.remediation, seen.preflight, seen.now);
  const propagation = propagationPhase({ machineSet, members, metadata, written: remediation.written });
  const { written } = propagation;
  const last = propagation.endsPass
    ? []
    : [
        startUpdatePhase({
          machineSet,
          members,
          metadata,
          written,
          cloneInfrastructure: name => cloneFor(name, machineSet, seen.infrastructure),
          cloneBootstrap: name => cloneFor(name, machineSet, seen.bootstrap),
        }),
        replicasPhase({ seen, work, machines, written, digest }),
      ];
  return {
    ...inOrder([remediation, propagation, ...last]),
    machinesAfter: outcomes => machines.map(machine => remediation.machineAfter(machine, outcomes)),
  };
}
