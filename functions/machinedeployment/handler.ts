// The Lambda function of the MachineDeployment queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { createHooks } from '../../shared/runtime-hooks/client/hooks-client.ts';
import { machineDeploymentDeclaration } from './declaration.ts';
import { createMachineDeploymentReconciler } from './reconciler.ts';

export const handler = portedHandler(machineDeploymentDeclaration, ({ config, clock }) => ({
  reconciler: () => createMachineDeploymentReconciler({ updatesInPlace: config.featureGates.InPlaceUpdates }),
  ports: { hooks: ({ metrics }) => createHooks({ clock, metrics, settings: config.extensions }) },
}));
