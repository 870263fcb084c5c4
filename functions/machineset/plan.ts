// The plan of one pass over a MachineSet, derived from the objects that were read. Both the actions and the report use it.
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { Digest } from '../../shared/names/random-characters.ts';
import { type AdoptionPhase, adoptionPhase } from './phases/adoption.ts';
import { deletionPhase } from './phases/delete-set.ts';
import { startUpdatePhase } from './phases/in-place/start-update.ts';
import { ownMetadataPhase } from './phases/own-metadata.ts';
import { concluded, type MachineSetPhase, type PhaseResult, sequence } from './phases/phase.ts';
import { propagationPhase } from './phases/propagation/propagation.ts';
import { remediationPhase } from './phases/remediation/remediation.ts';
import { cloneFor, memberMetadata } from './phases/replicas/new-machine.ts';
import { replicasPhase } from './phases/replicas/replicas-phase.ts';
import { templatePhase } from './phases/set-templates.ts';
import type { MachineMember, MachineSetEarlyEnd, MachineSetWork, MachinesRead, ObservedMachineSet } from './seen.ts';

export interface WholeMachineSetPlan {
  readonly step: ObservedMachineSet['step'];
  readonly seen: ObservedMachineSet;
  readonly actions: readonly Action[];
  /** Pure. The result of the pass for given outcomes. */
  readonly conclude: (outcomes: Outcomes) => PhaseResult;
  /** The Machines of the set after the pass. `undefined` if they are not known. */
  readonly machinesAfter: (outcomes: Outcomes) => readonly WholeMachine[] | undefined;
}

export type MachineSetPlan = MachineSetEarlyEnd | WholeMachineSetPlan;

export function plan(seen: MachineSetEarlyEnd | ObservedMachineSet, digest: Digest): MachineSetPlan {
  return seen.step === 'phases' ? planPhases(seen, digest) : seen;
}

function planPhases(seen: ObservedMachineSet, digest: Digest): WholeMachineSetPlan {
  const first = sequence([
    ownMetadataPhase(seen.stored, seen.machineSet),
    templatePhase('infrastructure', seen),
    templatePhase('bootstrap', seen),
  ]);
  const { machinesAfter, ...rest } =
    seen.machines.state === 'failed' ? unknownMachines(seen.machines.problem) : planListed(seen, seen.machines, digest);
  return { step: seen.step, seen, machinesAfter, ...sequence([first, rest]) };
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
  return { ...afterAdoption(adoption, phases), machinesAfter: phases.machinesAfter };
}

/** After an adoption, the members of this plan are not all. Another pass makes a new plan. */
function afterAdoption(adoption: AdoptionPhase, phases: MachineSetPhase): MachineSetPhase {
  return {
    actions: [
      ...adoption.actions,
      ...phases.actions.map(({ when, ...action }) => ({
        ...action,
        when: (outcomes: Outcomes) => !adoption.hasAdopted(outcomes) && when?.(outcomes) !== false,
      })),
    ],
    conclude: outcomes =>
      adoption.hasAdopted(outcomes) ? adoption.conclude(outcomes) : sequence([adoption, phases]).conclude(outcomes),
  };
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
          ...{ machineSet, members, metadata, written },
          cloneInfrastructure: name => cloneFor(name, machineSet, seen.infrastructure),
          cloneBootstrap: name => cloneFor(name, machineSet, seen.bootstrap),
        }),
        replicasPhase({ seen, work, machines, written, digest }),
      ];
  return {
    ...sequence([remediation, propagation, ...last]),
    machinesAfter: outcomes => machines.map(machine => remediation.machineAfter(machine, outcomes)),
  };
}
