// The functions of a deployment, each with the rights of its generated role, in a rig with upstream's providers.
import { readFileSync } from 'node:fs';
import { defaultFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { applyManifests, parseManifests, toResultLines } from '../../local/manifests.ts';
import {
  type DeployedWorld,
  type DeployedWorldOptions,
  deployedNames,
  startDeployedWorld,
  userOf,
} from '../support/deployed-functions.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { parseAuditLog } from '../support/rights.ts';
import type { Installation } from '../take-over/installation.ts';

export type DeployedSource = NonNullable<DeployedWorldOptions['source']>;

/** These read without pause. */
const sources = ['watch-forwarder', 'windowed-forwarder', 'audit-webhook'];

/** The users whose requests are counted. */
export const reconcilerUsers: readonly string[] = deployedNames.filter(name => !sources.includes(name)).map(userOf);

/** Creates the roles, their bindings, and the account of the forwarder. Throws if one is refused. */
export async function grantRoles({ client }: Installation): Promise<void> {
  const manifests = outputs
    .filter(({ path }) => /^(rbac|forwarder)\//.test(path) && !path.endsWith('/kustomization.yaml'))
    .flatMap(({ path, text }) => parseManifests(text, path))
    .toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'));
  const applied = await applyManifests(client.kubernetes, manifests, { fieldManager: 'test' });
  const problems = applied.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines);
  if (problems.length > 0) {
    throw new Error(`Roles were not created: ${problems.join('; ')}`);
  }
}

export interface DeployedRun extends Pick<DeployedWorld, 'stop'> {
  /** The errors of the queues and of the event source. */
  errors(): readonly string[];
  /** The requests of the functions that were refused for lack of a right. */
  refused(): readonly string[];
}

export async function runDeployed({ controlPlane }: Installation, source: DeployedSource): Promise<DeployedRun> {
  const log = aRecordingLog();
  const gates = { ...defaultFeatureGates, ClusterTopology: true };
  const world = await startDeployedWorld(controlPlane, { log, gates, source, simulated: false });
  const users = new Set(deployedNames.map(userOf));
  return {
    stop: world.stop,
    errors: () => log.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
    refused: () =>
      parseAuditLog(readFileSync(controlPlane.auditLogPath, 'utf8'), user => users.has(user))
        .filter(({ code }) => code === 403)
        .map(({ user, verb, resource, path, name }) => `${user}: ${verb} ${resource ?? path} ${name ?? ''}`),
  };
}
