// The flow of v1alpha1 with its own `Cluster` kind in addition to the current one. An actuator with its queue, the
// Cluster reconciler and a current provider run in one process on one API server.
import { randomUUID } from 'node:crypto';
import { type Kubernetes, type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import { RequeueAfter, Terminal } from '@capi-serverless/provider-sdk';
import type { Declaration } from '@capi-serverless/reconciler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostLateMs } from '../../../shared/workqueue/timer-grid.ts';
import { actuatorFinalizer } from '../../support/scripted-actuator.ts';
import {
  createObjects,
  type GenerationObjects,
  namespace,
  ourCluster,
  ourInfrastructure,
  theirCluster,
} from './objects.ts';
import { actuatorName, type GenerationsWorld, startGenerations } from './two-generations.ts';

interface GenerationsServer {
  /** Returns the client of a function, of the forwarder or of the tests, by its name. */
  kubernetes(client: string): Kubernetes;
  /** If the server has users, grants the actuator the permissions that it declares and no others. */
  authorise?(declaration: Declaration): Promise<void>;
  /** The path of the audit log, if the server writes one. */
  readonly audit?: () => Promise<readonly ClientRequest[]>;
  readonly now: () => number;
  close(): Promise<void>;
}

/** One line of an audit log. */
export interface ClientRequest {
  readonly client: string;
  readonly verb: string;
  readonly group: string;
  readonly code: number;
}

const theirs = 'cluster.k8s.io';
const ours = /(^|\.)cluster\.x-k8s\.io$/;
/** The deletion options for objects without dependents. */
const marker = 'marker';

/** Declares the suite for one server. The server serves all kinds, and no other component runs. */
export function generationsOn(name: string, open: () => Promise<GenerationsServer>): void {
  describe(`Two generations of Clusters on ${name}`, () => {
    let server: GenerationsServer;
    let world: GenerationsWorld;
    let objects: GenerationObjects;

    beforeAll(async () => {
      server = await open();
      world = startGenerations(client => server.kubernetes(client), server.now());
      await server.authorise?.(world.declaration);
      objects = createObjects(world.client);
      await objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await objects.createTheirs(marker);
      await objects.createOurs(marker);
      await world.until('the markers to be there', () => objects.isProvisioned(marker));
      await world.rest();
    });

    afterAll(async () => {
      await world?.stop();
      await server?.close();
    });

    const calls = (name: string, verb: 'reconcile' | 'delete') => world.author.callsOf(name, verb);
    const isGone = async (name: string) => (await objects.find(theirCluster(name))) === undefined;
    const touch = (name: string) =>
      objects.patch(theirCluster(name), { metadata: { annotations: { touched: randomUUID() } } });

    /** Waits until the forwarder has processed `ref` again. Then all earlier events of this kind have also arrived. */
    async function arrivedOf(ref: ObjectRef, ...reconcilers: readonly string[]): Promise<void> {
      const countOf = (reconciler: string): number =>
        world.reconciles.filter(fact => fact.reconciler === reconciler && fact.name === ref.name).length;
      const before = reconcilers.map(countOf);
      await objects.patch(ref, { metadata: { annotations: { touched: randomUUID() } } });
      await world.until(`${ref.kind} ${ref.name} to be processed`, () =>
        reconcilers.every((reconciler, index) => countOf(reconciler) > (before[index] ?? 0)),
      );
    }

    /** Waits until all events are processed, including those of the reconcilers' own writes. */
    async function rest(): Promise<void> {
      const countWork = (): number => world.reconciles.filter(({ name }) => name !== marker).length;
      let before: number;
      do {
        before = countWork();
        await arrivedOf(theirCluster(marker), actuatorName);
        await arrivedOf(ourInfrastructure(marker), 'simulated-cluster', 'cluster');
        await arrivedOf(ourCluster(marker), 'cluster');
        await world.rest();
      } while (countWork() !== before);
    }

    /** Creates a Cluster of the actuator only, reconciled once and settled. */
    async function settled(name: string) {
      await objects.createTheirs(name);
      await world.until(`${name} to be reconciled`, () => calls(name, 'reconcile').length > 0);
      await rest();
      return objects.read(theirCluster(name));
    }

    it("stores the finalizer before it calls the author's code, once for each change", async () => {
      world.author.does('fresh', 'reconcile', ({ context }) => {
        context.patchStatus({ network: `net-of-${context.cluster.metadata.name}` });
        return undefined;
      });
      const cluster = await settled('fresh');

      expect(cluster.metadata.finalizers).toEqual([actuatorFinalizer]);
      expect(cluster.status).toEqual({ network: 'net-of-fresh' });
      for (const { context } of calls('fresh', 'reconcile')) {
        expect(context.cluster.metadata.finalizers).toEqual([actuatorFinalizer]);
      }
      const before = calls('fresh', 'reconcile').length;
      await touch('fresh');
      await rest();
      expect(calls('fresh', 'reconcile')).toHaveLength(before + 1);
      expect(world.timersOf('fresh')).toEqual([]);
    });

    it("calls the author's code at each resync, too", async () => {
      await settled('steady');
      const before = calls('steady', 'reconcile').length;
      const resynced = world.path.resync();
      await world.pass(90_000);
      await resynced;
      await rest();
      expect(calls('steady', 'reconcile')).toHaveLength(before + 1);
    });

    it('calls again after the seconds that a retryable error carries, which does not count as a failure', async () => {
      await settled('later');
      const before = calls('later', 'reconcile').length;
      const answers = [new RequeueAfter(7)];
      world.author.does('later', 'reconcile', () => answers.shift());
      await touch('later');
      await world.until('the timer', () => world.timersOf('later').length > 0);
      const [timer] = world.timersOf('later');
      await world.until('the second call', () => calls('later', 'reconcile').length === before + 2);
      await rest();

      const [first, second] = calls('later', 'reconcile').slice(before);
      const waited = (second?.at ?? 0) - (first?.at ?? 0);
      expect(timer).toMatchObject({ cause: 'timer', attempt: 0 });
      expect(waited).toBeGreaterThanOrEqual(7_000);
      expect(waited).toBeLessThanOrEqual(7_000 + mostLateMs(7_000) + 1_000);
      expect(calls('later', 'reconcile')).toHaveLength(before + 2);
    });

    it('backs off after failures and resets the backoff after a success', async () => {
      await settled('failing');
      const before = calls('failing', 'reconcile').length;
      const failures = [new Error('boom'), new Error('boom')];
      const attempts: number[] = [];
      world.author.does('failing', 'reconcile', () => {
        const failure = failures.shift();
        return failure === undefined ? undefined : Promise.reject(failure);
      });
      await touch('failing');
      await world.until('the third call', () => {
        attempts.push(...world.timersOf('failing').map(({ attempt }) => attempt));
        return calls('failing', 'reconcile').length === before + 3;
      });
      await rest();

      const [first = 0, second = 0, third = 0] = calls('failing', 'reconcile')
        .slice(before)
        .map(({ at }) => at);
      expect([...new Set(attempts)]).toEqual([1, 2]);
      expect(second - first).toBeGreaterThanOrEqual(1_000);
      expect(third - second).toBeGreaterThanOrEqual(2_000);
      expect(world.timersOf('failing')).toEqual([]);
    });

    it('does not call again after a terminal failure until the Cluster is deleted', async () => {
      world.author.does('hopeless', 'reconcile', () => new Terminal('CreateError', 'no quota'));
      const cluster = await settled('hopeless');
      expect(cluster.status).toEqual({ errorReason: 'CreateError', errorMessage: 'no quota' });
      expect(calls('hopeless', 'reconcile')).toHaveLength(1);
      await objects.patch(theirCluster('hopeless'), { spec: { zones: ['b'] } });
      await rest();
      expect(calls('hopeless', 'reconcile')).toHaveLength(1);
      expect(world.timersOf('hopeless')).toEqual([]);

      await objects.remove(theirCluster('hopeless'));
      await world.until('it to go', () => isGone('hopeless'));
      expect(calls('hopeless', 'delete')).toHaveLength(1);
    });

    it('ignores a deleting Cluster that never had its finalizer', async () => {
      const finalizers = ['other.example.com/hold'];
      const ref = theirCluster('foreign');
      const metadata = { namespace, name: 'foreign', finalizers };
      await objects.create({ apiVersion: ref.apiVersion, kind: ref.kind, metadata });
      await objects.remove(ref);
      await rest();
      expect((await objects.read(ref)).metadata.finalizers).toEqual(finalizers);
      expect([...calls('foreign', 'reconcile'), ...calls('foreign', 'delete')]).toEqual([]);
      await objects.patch(ref, { metadata: { finalizers: null } });
    });

    it("waits for the children to be deleted before it calls the author's code, and removes the finalizer last", async () => {
      const cluster = await settled('parent');
      const [machine, set, unauthorized, modern] = [
        await objects.createMachine(cluster),
        await objects.createMachine(cluster, { kind: 'MachineSet' }),
        await objects.createMachine(cluster, { uid: randomUUID() }),
        await objects.createMachine(cluster, { apiVersion: 'cluster.x-k8s.io/v1beta2' }),
      ];
      const answers = [new RequeueAfter(9)];
      world.author.does('parent', 'delete', () => answers.shift());

      await objects.remove(theirCluster('parent'));
      await world.until('the timer', () => world.timersOf('parent').length > 0);
      await world.pass(10_000);
      for (const child of [machine, set]) {
        const { metadata } = await objects.read(toRef(child));
        expect(metadata.deletionTimestamp).toBeDefined();
      }
      await objects.letGo(machine);
      await world.pass(10_000);
      expect(calls('parent', 'delete')).toEqual([]);
      expect(await isGone('parent')).toBe(false);

      await objects.letGo(set);
      await world.until('it to go', () => isGone('parent'));
      const [first = 0, second = 0] = calls('parent', 'delete').map(({ at }) => at);
      expect(calls('parent', 'delete')).toHaveLength(2);
      expect(second - first).toBeGreaterThanOrEqual(9_000);
      expect(second - first).toBeLessThanOrEqual(9_000 + mostLateMs(9_000) + 1_000);
      for (const other of [unauthorized, modern]) {
        // A garbage collector may delete objects of a deleted owner. No other component may.
        expect((await objects.read(toRef(other))).metadata.finalizers).toEqual(other.metadata.finalizers);
        await objects.letGo(other);
      }
      await rest();
      expect(calls('parent', 'delete')).toHaveLength(2);
    });

    it('exists and is deleted without changes to a current Cluster of the same name', async () => {
      await objects.createOurs('twin');
      await world.until('ours to be provisioned', () => objects.isProvisioned('twin'));
      await rest();
      const before = await objects.bytesOf(ourCluster('twin'), ourInfrastructure('twin'));

      const cluster = await settled('twin');
      const machine = await objects.createMachine(cluster);
      await objects.remove(theirCluster('twin'));
      await world.pass(10_000);
      await objects.letGo(machine);
      await world.until('theirs to go', () => isGone('twin'));
      await rest();

      expect(calls('twin', 'delete')).toHaveLength(1);
      expect(await objects.bytesOf(ourCluster('twin'), ourInfrastructure('twin'))).toBe(before);
    });

    it('is not touched while a Cluster of ours of the same name is created and deleted', async () => {
      const machine = await objects.createMachine(await settled('elder'));
      const bytes = () => objects.bytesOf(theirCluster('elder'), toRef(machine));
      const before = await bytes();
      const reconciled = calls('elder', 'reconcile').length;

      await objects.createOurs('elder');
      await world.until('ours to be provisioned', () => objects.isProvisioned('elder'));
      await objects.remove(ourCluster('elder'));
      await world.until('ours to go', async () => (await objects.find(ourCluster('elder'))) === undefined);
      await rest();

      expect(await bytes()).toBe(before);
      expect(calls('elder', 'reconcile')).toHaveLength(reconciled);
      await objects.letGo(machine);
    });

    it('requested no kind of the other generation, on either side, and lost no message', async () => {
      const audited = (await server.audit?.()) ?? [];
      for (const seen of [world.requests, audited]) {
        const [byThem, byUs] = [seen.filter(isBy([actuatorName])), seen.filter(isBy(['cluster', 'simulated-cluster']))];
        expect(byThem.filter(({ group }) => group !== theirs)).toEqual([]);
        expect(byUs.filter(({ group }) => group === theirs)).toEqual([]);
        expect(seen.filter(({ code }) => code === 403)).toEqual([]);
        if (seen.length > 0) {
          expect(byThem.map(({ verb }) => verb)).toEqual(expect.arrayContaining(['get', 'list', 'patch', 'delete']));
          expect(byUs.filter(({ group }) => ours.test(group)).length).toBeGreaterThan(0);
        }
      }
      expect(world.path.deadLetters()).toBe(0);
      expect(world.problems).toEqual([]);
    });
  });
}

function isBy(clients: readonly string[]): (request: { readonly client: string }) => boolean {
  return ({ client }) => clients.includes(client);
}
