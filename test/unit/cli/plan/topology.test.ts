// A plan of a topology has the same names and fields as the writes of the next run.

import { type Reads, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PlannedPass, PlannedReconcile } from '../../../../cli/plan/plan.ts';
import { plannables } from '../../../../cli/plan/registry.ts';
import type { PlannedWrite } from '../../../../shared/explain/face.ts';
import { clusterRef, type ExampleTopology, settledExample } from '../../../support/example-topology.ts';
import type { NumberedCall } from '../../../support/faulty-kubernetes.ts';
import type { MemoryApi } from '../../../support/memory-api.ts';
import { fixtures } from './topology-fixtures.ts';

describe.each(fixtures)(
  'a plan of the topology reconciler: $reason',
  ({ start = settledExample, change, actions, result }) => {
    let world: ExampleTopology;
    let offline: PlannedReconcile;
    let live: PlannedReconcile;
    beforeAll(async () => {
      world = await start();
      await change(world);
      world.api.calls.reset();
      offline = await planTopology(world.api);
      live = await planTopology(world.api, true);
    });

    it('has the required writes, with a reason for each action', () => {
      const planned = offline.passes.flatMap(pass => pass.actions);
      expect(
        planned.map(
          ({ action, write }) =>
            `${write?.verb === 'apply' && write.before === undefined ? 'new' : action.do} ${write?.ref.kind}`,
        ),
      ).toEqual(actions);
      expect(planned.filter(({ why, action }) => why === `decided as ${action.id}` || why === '')).toEqual([]);
      expect(offline.result.kind === 'failed').toBe(result === 'failed');
    });

    it('holds the writes of the run that follows, in their order, and writes nothing itself', async () => {
      expect(world.api.calls.writes).toEqual([]);
      const { result: ran } = await world.run();
      const uids = uidsOf(world.api, offline, live);
      expect(offline.result).toEqual(ran);
      expect(writesOf(offline, uids)).toEqual(world.api.calls.all.filter(isWrite).map(call => toWrite(call, uids)));
      expect(writesOf(live, uids)).toEqual(writesOf(offline, uids));
    });
  },
);

function planTopology({ kubernetes, clock }: MemoryApi, isLive = false): Promise<PlannedReconcile> {
  const plannable = plannables.find(({ declaration }) => declaration.name === 'topology');
  const { get, metadata, list, dryRun } = kubernetes;
  const reads: Reads = { get, metadata, list };
  const now = clock.now();
  const planning = { reads, ref: clusterRef, now, callHooks: false, probeWorkloads: false };
  const plan = plannable?.plan({ ...planning, ...(isLive ? { dryRun } : {}) });
  if (plan === undefined) {
    throw new Error('The topology reconciler cannot be planned');
  }
  return plan;
}

function isWrite({ verb }: NumberedCall): boolean {
  return ['create', 'patch', 'jsonPatch', 'apply', 'delete'].includes(verb);
}

type Uids = ReadonlyMap<string, string>;
type Write = readonly [verb: string, kind: string, name: string, subresource: string, body: unknown];

/** The server assigns uids of new objects. They are replaced by the names of the objects. */
function conclusions(body: unknown, uids: Uids): unknown {
  const text = JSON.stringify(body ?? null, (_, value) =>
    typeof value === 'string' ? (uids.get(value) ?? value) : value,
  );
  return JSON.parse(text);
}

/** Names of Events depend on versions, which depend on all other writes. */
function toWrite({ verb, kind, of, subresource, body }: NumberedCall, uids: Uids): Write {
  if (kind === 'Event') {
    return ['create', 'Event', '', '', [valueAt(body, 'type'), valueAt(body, 'reason'), valueAt(body, 'message')]];
  }
  return [verb, kind, 'name' in of ? of.name : '', subresource ?? '', conclusions(body, uids)];
}

function uidsOf({ core }: MemoryApi, ...plans: readonly PlannedReconcile[]): Uids {
  const stored = core.snapshot().objects.map(object => [object.metadata.uid, nameOf(object)] as const);
  const planned = plans
    .flatMap(({ passes }) => passes.flatMap(allOf))
    .flatMap(({ after }) => (after === undefined ? [] : [[after.metadata.uid, nameOf(after)] as const]));
  return new Map([...stored, ...planned]);
}

function nameOf({ kind, metadata }: Pick<Unstructured, 'kind' | 'metadata'>): string {
  return `${kind} ${metadata.name}`;
}

function allOf({ actions, status }: PlannedPass): readonly PlannedWrite[] {
  return [...actions.map(({ write }) => write), status].filter(write => write !== undefined);
}

function writesOf({ passes }: PlannedReconcile, uids: Uids): readonly Write[] {
  return passes.flatMap(pass => [
    ...allOf(pass).map(
      ({ verb, ref, subresource, body }): Write => [
        verb,
        ref.kind,
        ref.name,
        subresource ?? '',
        conclusions(body, uids),
      ],
    ),
    ...pass.events.map(({ type, reason, message }): Write => ['create', 'Event', '', '', [type, reason, message]]),
  ]);
}
