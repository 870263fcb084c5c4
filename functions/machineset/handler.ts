// The Lambda function of the MachineSet queue.
import { portedHandler } from '../../shared/lambda/reconciler-handler.ts';
import { machineSetDeclaration } from './declaration.ts';
import { createMachineSetReconciler } from './reconciler.ts';
import { toSettings } from './settings.ts';

export const handler = portedHandler(machineSetDeclaration, ({ config }) => ({
  reconciler: () => createMachineSetReconciler(toSettings(config)),
  ports: {},
}));
