// The estimates of the deployments of a file, from their templates.
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { declarations } from '../../functions/declarations.ts';
import { DeploymentError, readDeployments, toFeatureGates } from '../../infra/aws/deployment.ts';
import type { Deployment } from '../../infra/aws/deployment-schema.ts';
import { countBillableUnits } from '../../infra/billable-units.ts';
import { UsageError } from '../../local/usage-error.ts';
import { type Estimate, estimateOf } from './estimate.ts';
import { toKindFigures } from './shape.ts';

/** Rejects with UsageError if the file cannot be read, or has an invalid deployment. */
export async function estimateDeployments(
  file: string,
  use: { readonly clusters: number; readonly changesPerDay: number },
): Promise<readonly Estimate[]> {
  try {
    const deployments = readDeployments(file);
    // After the file was read, because loading the CDK takes a second.
    const { toTemplates } = await import('../../infra/aws/templates.ts');
    const templates = toTemplates(deployments);
    return deployments.map(deployment =>
      estimateOf(use, {
        profile: toProfile(deployment),
        kinds: toKindFigures(ofGates(declarations, toFeatureGates(deployment))),
        units: countBillableUnits(templates.get(deployment.name)),
        webhooks: (['admission', 'conversion'] as const).filter(name => deployment[name] !== undefined),
      }),
    );
  } catch (thrown) {
    throw thrown instanceof DeploymentError ? new UsageError(thrown.message) : thrown;
  }
}

function toProfile(deployment: Deployment): Estimate['profile'] {
  const { name, sources, resyncPeriodMinutes, fullResyncPeriodMinutes, layout, apiServer } = deployment;
  return {
    name,
    forwarder: sources.forwarder !== undefined,
    windowed: sources.windowed,
    resyncMinutes: resyncPeriodMinutes,
    fullResyncMinutes: fullResyncPeriodMinutes,
    layout,
    apiServer: apiServer.kind,
  };
}
