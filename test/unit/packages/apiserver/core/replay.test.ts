// For any sequence of writes, a list and a watch from any version result in the state of a new list.
import { describe, expect, it } from 'vitest';
import type { Page } from '../../../../../packages/apiserver/core/list.ts';
import type { Stored } from '../../../../../packages/apiserver/core/object.ts';
import { hasLabels, type Selection } from '../../../../../packages/apiserver/core/selection.ts';
import { StatusError } from '../../../../../packages/apiserver/core/status.ts';
import { fc } from '../../../../support/property.ts';
import { type ApiCoreWorld, at, aWidget, aWorld, namespace } from './core-with-widgets.ts';

const name = fc.constantFrom('a', 'b', 'c');
const team = fc.constantFrom('red', 'blue');

const write = fc.oneof(
  fc.record({ do: fc.constant('create' as const), name, team, held: fc.boolean() }),
  fc.record({ do: fc.constant('label' as const), name, team }),
  fc.record({ do: fc.constant('spec' as const), name, size: fc.nat(2) }),
  fc.record({ do: fc.constant('status' as const), name, size: fc.nat(2) }),
  fc.record({ do: fc.constant('release' as const), name }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({ do: fc.constant('compact' as const) }),
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

function perform(world: ApiCoreWorld, step: Write): void {
  const { core, widgets } = world;
  const patch = (body: object, subresource?: 'status'): Stored =>
    core.patch(at(widgets, 'name' in step ? step.name : ''), { type: 'merge', body }, subresource);
  switch (step.do) {
    case 'create': {
      const finalizers = step.held ? ['a.b/c'] : [];
      core.create(widgets, namespace, aWidget(step.name, { metadata: { labels: { team: step.team }, finalizers } }));
      return;
    }
    case 'label':
      patch({ metadata: { labels: { team: step.team } } });
      return;
    case 'spec':
      patch({ spec: { size: step.size } });
      return;
    case 'status':
      patch({ status: { size: step.size } }, 'status');
      return;
    case 'release':
      patch({ metadata: { finalizers: null } });
      return;
    case 'delete':
      core.delete(at(widgets, step.name));
      return;
    case 'compact':
      core.compact();
  }
}

function tryTo(world: ApiCoreWorld, step: Write): void {
  try {
    perform(world, step);
  } catch (error) {
    // Random writes often fail because of missing or existing objects. Only refusals are expected.
    if (!(error instanceof StatusError)) {
      throw error;
    }
  }
}

function keyed(items: readonly Stored[]): Map<string, Stored> {
  return new Map(items.map(item => [item.metadata.name, item]));
}

/** Returns the list updated by the watch, or undefined if its version has expired. */
function replay(world: ApiCoreWorld, from: Page, selection: Selection): Map<string, Stored> | undefined {
  const objects = keyed(from.items);
  let last = Number(from.resourceVersion);
  let watch: ReturnType<ApiCoreWorld['core']['watch']>;
  try {
    watch = world.core.watch(world.widgets, { ...selection, resourceVersion: from.resourceVersion });
  } catch {
    return undefined;
  }
  for (let step = watch.next(); step !== 'idle' && step !== 'ended'; step = watch.next()) {
    const { name, resourceVersion } = step.object.metadata;
    expect(Number(resourceVersion)).toBeGreaterThan(last);
    expect(objects.has(name)).toBe(step.type !== 'ADDED');
    last = Number(resourceVersion);
    if (step.type === 'DELETED') {
      objects.delete(name);
    } else {
      objects.set(name, step.object);
    }
  }
  return objects;
}

describe('list and watch', () => {
  it('end at the state of a fresh list, from every version in the history', () => {
    const selections: readonly Selection[] = [{}, { namespace, matches: hasLabels({ team: 'red' }) }];
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), writes => {
        const world = aWorld();
        const points: Page[][] = [];
        for (const step of writes) {
          points.push(selections.map(selection => world.core.list(world.widgets, selection)));
          tryTo(world, step);
        }
        const forgotten = writes.findLastIndex(step => step.do === 'compact');
        for (const [index, pages] of points.entries()) {
          for (const [number, selection] of selections.entries()) {
            const page = pages[number];
            const replayed = page === undefined ? undefined : replay(world, page, selection);
            const fresh = keyed(world.core.list(world.widgets, selection).items);
            if (replayed !== undefined || index > forgotten) {
              expect(replayed).toEqual(fresh);
            }
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
