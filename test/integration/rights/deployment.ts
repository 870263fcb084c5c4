// A deployment with its generated roles on a real API server: runs the scenarios of its roles, and reads the audit log.
import { readFileSync } from 'node:fs';
import type { Intent } from '@capi-serverless/apimachinery';
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { declarations } from '../../../functions/declarations.ts';
import { toFunctionRules } from '../../../infra/kubernetes/functions-rbac.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { deployedNames, deployedUsers, startDeployedWorld, userOf } from '../../support/deployed-functions.ts';
import { createManifests } from '../../support/generated-roles.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { type AuditedRequest, parseAuditLog, type RbacManifest } from '../../support/rights.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';
import { scenarios } from './scenarios.ts';
import type { RightsStage } from './stage.ts';

export interface DeploymentManifests {
  readonly gates: FeatureGates;
  /** YAML texts with the roles, the bindings and the forwarder, by file name. */
  readonly files: ReadonlyMap<string, string>;
}

export interface AuditedDeployment {
  readonly plane: RealControlPlane;
  /** The requests of the functions and of the forwarder. */
  readonly requests: readonly AuditedRequest[];
  readonly rbac: readonly RbacManifest[];
}

/** The roles of a deployment with these gates, without prefix. */
export function rolesWith(gates: FeatureGates): readonly string[] {
  return toFunctionRules(declarations, gates).map(({ name }) => name);
}

/** The caller stops the control plane. */
export async function auditDeployment({ gates, files }: DeploymentManifests): Promise<AuditedDeployment> {
  const { plane, client } = await startWithDefinitions();
  let manifests: readonly Intent[];
  try {
    manifests = await createManifests(client, files);
    await playScenarios(plane, client, gates);
  } catch (error) {
    await plane.stop();
    throw error;
  }
  const ours = new Set(deployedNames.map(userOf));
  const requests = parseAuditLog(readFileSync(plane.auditLogPath, 'utf8'), user => ours.has(user));
  // Other objects have none of the compared parts.
  return { plane, requests, rbac: manifests as unknown as readonly RbacManifest[] };
}

async function startWithDefinitions(): Promise<{ readonly plane: RealControlPlane; readonly client: WorldClient }> {
  const connected = Promise.withResolvers<WorldClient>();
  const plane = await startControlPlane({
    users: deployedUsers,
    beforeControllers: async ({ kubeconfigPath }) => {
      const client = await connectWorldClient(kubeconfigPath('admin'));
      await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
      connected.resolve(client);
    },
  });
  return { plane, client: await connected.promise };
}

async function playScenarios(plane: RealControlPlane, client: WorldClient, gates: FeatureGates): Promise<void> {
  const world = await startDeployedWorld(plane, { log: aRecordingLog(), gates });
  const closing: (() => Promise<void>)[] = [world.stop];
  try {
    const stage: RightsStage = { client, world, gates, atEnd: close => void closing.push(close) };
    await Promise.all(rolesWith(gates).map(role => named(role, scenarios[role]?.(stage))));
  } finally {
    for (const close of closing) {
      await close();
    }
  }
}

/** Longer than the longest wait for an object. */
const reportAfterMs = 450_000;

/** Names the scenario that failed, at once because the others may hang, or that has not ended after a long time. */
async function named(role: string, scenario: Promise<void> | undefined): Promise<void> {
  const report = setTimeout(() => console.error(`The scenario of ${role} has not ended`), reportAfterMs);
  try {
    await scenario;
  } catch (error) {
    console.error(`The scenario of ${role} failed:`, error);
    throw error;
  } finally {
    clearTimeout(report);
  }
}
