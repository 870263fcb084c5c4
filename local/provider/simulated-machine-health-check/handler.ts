// The Lambda function of the queue for MachineHealthChecks on simulated infrastructure.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachineHealthCheck } from '../machines/machine-health-check.ts';

export const handler = reconcilerHandler(simulatedMachineHealthCheck);
