// An object whose reconciles end processes (docs/decisions/0067-attributed-deaths.md): the others of its batches go on, and
// it is tried again until it can be reconciled.
import type { Kubernetes, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { SimulatedProcess } from './engine/process.ts';
import { runSimulation } from './run.ts';
import type { SystemParts } from './system/system.ts';
import {
  aSimulatedCluster,
  clusterRef,
  home,
  namespaceNamed,
  untilReady,
  type Workload,
} from './workloads/workload.ts';

const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const deadly = 'c3';
const minuteMs = 60_000;

/** A client whose process dies when it reads the object, as if it were too large for the function's memory. */
function dyingClient(
  kubernetes: Kubernetes,
  process: SimulatedProcess,
  isDeadly: (ref: ObjectRef) => boolean,
): Kubernetes {
  return new Proxy(kubernetes, {
    get(target, property) {
      if (property === 'get') {
        return (ref: ObjectRef): Promise<unknown> => {
          if (!isDeadly(ref)) {
            return target.get(ref);
          }
          process.end();
          return new Promise(() => {});
        };
      }
      if (property === 'within') {
        return (signal: AbortSignal) => dyingClient(target.within(signal), process, isDeadly);
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface Story {
  deaths: number;
  /** The time until all other Clusters were ready, and until the deadly one was, after it had become harmless. */
  othersMs: number;
  ownMs: number;
  events: readonly Unstructured[];
}

async function tell(seed: string): Promise<Story & { readonly violations: readonly string[] }> {
  const story: Story = { deaths: 0, othersMs: Number.NaN, ownMs: Number.NaN, events: [] };
  let now = (): number => 0;
  let isHarmless = false;
  const alterDependencies: SystemParts['alterDependencies'] = (of, name) => {
    now = of.clock.now;
    const isDeadly = ({ kind, name: object }: ObjectRef): boolean => {
      const dies = !isHarmless && name.startsWith('cluster.') && kind === 'Cluster' && object === deadly;
      story.deaths += Number(dies);
      return dies;
    };
    return { ...of, kubernetes: dyingClient(of.kubernetes, of.process, isDeadly) };
  };
  const workload: Workload = {
    name: 'deaths',
    about: 'Six Clusters are created together, and the reconciles of one of them end their processes',
    async script(user) {
      await user.create(namespaceNamed(home), ...names.flatMap(name => aSimulatedCluster(name)));
      const createdAt = now();
      for (const name of names.filter(other => other !== deadly)) {
        await untilReady(user, name);
      }
      story.othersMs = now() - createdAt;
      await user.untilAll('an Event that names the object', 'Event', events => {
        story.events = events.filter(({ reason }) => reason === 'ReconcileExhausted');
        return story.events.length > 0;
      });
      isHarmless = true;
      const harmlessAt = now();
      await untilReady(user, deadly);
      story.ownMs = now() - harmlessAt;
    },
  };
  const { violations } = await runSimulation({ workload, seed, system: { alterDependencies } });
  return { ...story, violations };
}

describe.each(['1', '2', '3', '4'])('an object that ends each process that reads it, seed %s', seed => {
  it('delays the others by less than two leases, and is tried again within two hours', async () => {
    const { violations, deaths, othersMs, ownMs, events } = await tell(seed);
    expect(violations).toEqual([]);
    expect(othersMs).toBeLessThan(5 * minuteMs);
    expect(ownMs).toBeLessThan(120 * minuteMs);
    expect(deaths).toBeGreaterThanOrEqual(2);
    expect(events.map(event => event['involvedObject'])).toContainEqual(expect.objectContaining(clusterRef(deadly)));
    expect(events[0]).toMatchObject({ type: 'Warning', message: expect.stringContaining('ended two processes') });
  });
});
