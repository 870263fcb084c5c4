// The reconcilers and functions of one deployment: by its feature gates and its layout.
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration } from '@capi-serverless/reconciler';
import { type FunctionPlan, sharedFunction, toSharedFunction } from '../function-plans.ts';
import type { DeployedParts } from './deployed-parts.ts';
import { toFeatureGates } from './deployment.ts';
import type { Deployment } from './deployment-schema.ts';

/** Omits reconcilers whose feature gate is off, because their queues would cost money and stay empty. */
export function ofDeployment(
  deployment: Deployment,
  { declarations: all, functions, bundles }: DeployedParts,
): DeployedParts {
  const declarations = ofGates(all, toFeatureGates(deployment));
  const enabled = new Set(declarations.map(({ name }) => name));
  const idle = all.filter(({ name }) => !enabled.has(name));
  const running = functions.filter(plan => !idle.some(({ name }) => name === plan.name));
  const isShared = deployment.layout === 'compact';
  return { declarations, functions: isShared ? toShared(running, declarations) : running, bundles };
}

/** Replaces the functions of the reconcilers by one. */
function toShared(functions: readonly FunctionPlan[], declarations: readonly Declaration[]): readonly FunctionPlan[] {
  const isReconciler = ({ name }: FunctionPlan): boolean => declarations.some(declaration => declaration.name === name);
  return [toSharedFunction(functions.filter(isReconciler)), ...functions.filter(plan => !isReconciler(plan))];
}

/** The reconcilers that the function runs. */
export function reconcilersOf(functionName: string, declarations: readonly Declaration[]): readonly Declaration[] {
  return functionName === sharedFunction.name ? declarations : declarations.filter(({ name }) => name === functionName);
}
