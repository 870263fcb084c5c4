// The functions of a deployment, each with the rights of its generated role, in a rig with upstream's providers.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { defaultFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { type LogFact, logs } from '../../shared/diagnostics/channels.ts';
import type { AuditPoster } from '../support/audit-poster.ts';
import { type DeployedWorld, deployedNames, startDeployedWorld, userOf } from '../support/deployed-functions.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { parseAuditLog } from '../support/rights.ts';
import type { Installation } from '../take-over/installation.ts';

/** These read without pause. */
const sources = ['watch-forwarder', 'windowed-forwarder', 'audit-webhook'];

/** The users whose requests are counted. */
export const reconcilerUsers: readonly string[] = deployedNames.filter(name => !sources.includes(name)).map(userOf);

export interface DeployedRun extends Pick<DeployedWorld, 'forwardFrom' | 'stop'> {
  /** The errors of the functions, the queues and the event sources. */
  errors(): readonly string[];
  /** The requests of the functions that were refused for lack of a right. */
  refused(): Promise<readonly string[]>;
}

export async function runDeployed({ controlPlane }: Installation, auditPoster: AuditPoster): Promise<DeployedRun> {
  const log = aRecordingLog();
  const errors: string[] = [];
  const record = (fact: unknown): void => {
    const { level, function: name, message, error } = (fact as LogFact).line; // True: the channel has no other facts.
    if (level === 'error') {
      errors.push(`${name}: ${message}: ${error}`);
    }
  };
  logs.subscribe(record);
  const gates = { ...defaultFeatureGates, ClusterTopology: true };
  const world = await startDeployedWorld(controlPlane, { log, gates, simulated: false, auditPoster });
  const users = new Set(deployedNames.map(userOf));
  return {
    forwardFrom: world.forwardFrom,
    async stop() {
      await world.stop();
      logs.unsubscribe(record);
    },
    errors: () => [...errors, ...log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)],
    async refused() {
      const found: string[] = [];
      // The whole log may be larger than the longest text.
      for await (const line of createInterface({ input: createReadStream(controlPlane.auditLogPath) })) {
        if (line.includes('"code":403')) {
          const requests = parseAuditLog(line, user => users.has(user)).filter(({ code }) => code === 403);
          found.push(
            ...requests.map(
              ({ user, verb, resource, path, name }) => `${user}: ${verb} ${resource ?? path} ${name ?? ''}`,
            ),
          );
        }
      }
      return found;
    },
  };
}
