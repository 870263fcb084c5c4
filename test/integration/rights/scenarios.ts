// The scenarios in which each role needs all of its permissions, by the role's name without prefix. Scenarios of
// reconcilers are in reconcilers/<name>.ts. All run at the same time, so their objects have the name of the role.
import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { auditToken } from '../../support/audit-poster.ts';
import type { DeployedWorld } from '../../support/deployed-functions.ts';
import { clusterRef } from '../../support/static-provider.ts';
import { live, referToKinds } from './live.ts';
import { namespace, type RightsScenario } from './stage.ts';

const folder = path.join(import.meta.dirname, 'reconcilers');

/** Each module exports `scenario`. */
async function readReconcilers(): Promise<Readonly<Record<string, RightsScenario>>> {
  const found = globSync('*.ts', { cwd: folder }).map(async file => {
    const module: { readonly scenario: RightsScenario } = await import(pathToFileURL(path.join(folder, file)).href);
    return [path.basename(file, '.ts'), module.scenario] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

export const scenarios: Readonly<Record<string, RightsScenario>> = {
  ...(await readReconcilers()),
  async resync(stage) {
    const { world } = stage;
    await referToKinds(stage, 'resynced');
    await succeed(world, 'resync', aSchedule);
    await succeed(world, 'resync', aSchedule);
  },
  'audit-webhook': ({ world }) => succeed(world, 'audit-webhook', anAuditPost),
  'watch-forwarder': stage => live(stage, 'watched'),
  async 'windowed-forwarder'(stage) {
    await referToKinds(stage, 'windowed');
    await live(stage, 'windowed');
    await succeed(stage.world, 'windowed-forwarder', aSchedule);
    await stage.client.patch(clusterRef(namespace, 'windowed'), { metadata: { annotations: { changed: 'yes' } } });
    await succeed(stage.world, 'windowed-forwarder', aSchedule);
  },
  // The first run of each of these functions creates its ConfigMap. The second run reads and patches it.
  'windowed-forwarder-state': async () => undefined,
  'resync-state': async () => undefined,
};

async function succeed(world: DeployedWorld, name: string, event: unknown): Promise<void> {
  const invoked = await world.invoke(name, event);
  if (!invoked.ok) {
    throw new Error(`Function ${name} failed: ${invoked.error.message}`, { cause: invoked.error });
  }
}

/** Functions ignore the payload of EventBridge Scheduler. */
const aSchedule = {};

const anAuditPost = {
  version: '2.0',
  headers: { authorization: `Bearer ${auditToken}`, 'content-type': 'application/json' },
  requestContext: { http: { method: 'POST' } },
  body: JSON.stringify({
    kind: 'EventList',
    apiVersion: 'audit.k8s.io/v1',
    items: [],
  }),
  isBase64Encoded: false,
};
