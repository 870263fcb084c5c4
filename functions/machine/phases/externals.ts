// Plans the bootstrap config and the infrastructure machine, and the values that the Machine takes from them.
import type { ObservedObjects } from '../seen.ts';
import { bootstrapStep } from './bootstrap.ts';
import type { ExternalStep } from './external.ts';
import { infrastructureStep, providerIdAfter } from './infrastructure.ts';
import { type PlannedMachineOwnership, planOwnership } from './ownership.ts';
import type { MachinePhase } from './pass-progress.ts';

/** Observe plans them itself, because they determine the Node. */
export interface PlannedMachineExternals {
  readonly bootstrap: PlannedMachineOwnership;
  readonly infrastructure: PlannedMachineOwnership;
  readonly bootstrapStep: ExternalStep;
  readonly infrastructureStep: ExternalStep;
  /** The providerID of the Machine after these steps. */
  readonly providerID: string;
}

export function planExternals(observed: ObservedObjects): PlannedMachineExternals {
  const { machine, settings } = observed;
  const bootstrap = planOwnership('bootstrap', observed.bootstrap, observed);
  const infrastructure = planOwnership('infrastructure', observed.infrastructure, observed);
  const ofInfrastructure = infrastructureStep(infrastructure, machine);
  return {
    bootstrap,
    infrastructure,
    bootstrapStep: bootstrapStep(bootstrap, machine, settings),
    infrastructureStep: ofInfrastructure,
    providerID: providerIdAfter(ofInfrastructure, machine),
  };
}

/** The infrastructure machine is written first. The errors of the bootstrap config come first, as in upstream. */
export function externalsPhase({ externals }: { readonly externals: PlannedMachineExternals }): MachinePhase {
  const { bootstrap, infrastructure, bootstrapStep: ofBootstrap, infrastructureStep: ofInfrastructure } = externals;
  return { actions: [...infrastructure.actions, ...bootstrap.actions], steps: [ofBootstrap, ofInfrastructure] };
}
