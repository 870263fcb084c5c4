// The oracle about marks of health checks, with a memory API of the workload cluster.
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryWorkload } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import { HealthChecks } from '../../../simulation/oracles/health-checks.ts';
import { countingIds } from '../../../support/memory-api.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const process = { name: 'machinehealthcheck.1' };
const ready = (status: string, since: number): JsonObject => ({
  type: 'Ready',
  status,
  reason: 'Kubelet',
  message: '',
  lastTransitionTime: timestamp(since),
});
const marked = (type: string, reason = 'Marked'): JsonObject => ({ type, status: 'False', reason, message: '' });

let clock: SteppedClock;
let reports: string[];
let objects: Unstructured[];
let lostAt: number | undefined;
let oracle: HealthChecks;
let setReady: (name: string, condition: JsonObject) => Promise<void>;
let ask: () => void;

function object(kind: string, name: string, more: object): Unstructured {
  const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '1' };
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind, metadata, ...more };
}

function machine(
  name: string,
  { annotations = {}, conditions = [] as readonly JsonObject[], node = `n-${name}` } = {},
) {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c', pool: 'a' };
  const made = object('Machine', name, {
    spec: { clusterName: 'c' },
    status: { ...(node === '' ? {} : { nodeRef: { name: node } }), conditions },
  });
  const creationTimestamp = timestamp(clock.now());
  return { ...made, metadata: { ...made.metadata, labels, annotations, creationTimestamp } };
}

const check = (triggerIf: object): Unstructured =>
  object('MachineHealthCheck', 'check', {
    spec: {
      clusterName: 'c',
      selector: { matchLabels: { pool: 'a' } },
      checks: {
        nodeStartupTimeoutSeconds: 600,
        unhealthyNodeConditions: [{ type: 'Ready', status: 'False', timeoutSeconds: 300 }],
      },
      remediation: { triggerIf },
    },
  });

beforeEach(async () => {
  clock = new SteppedClock();
  reports = [];
  lostAt = undefined;
  objects = [object('Cluster', 'c', {}), check({ unhealthyLessThanOrEqualTo: '100%' }), machine('m1'), machine('m2')];
  const { core, kubernetes } = createMemoryWorkload({ clock, ids: countingIds(1) }).cluster('c');
  for (const name of ['n-m1', 'n-m2']) {
    await kubernetes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  }
  setReady = async (name, condition) => {
    const body = { status: { conditions: [condition] } };
    const ref = { apiVersion: 'v1', kind: 'Node', name };
    expect((await kubernetes.mergePatch(ref, body, { subresource: 'status' })).ok).toBe(true);
  };
  let listener: (request: object) => void = () => {};
  ask = () => listener({ process, cluster: 'c', core });
  oracle = new HealthChecks({
    scheduler: {
      get now() {
        return clock.now();
      },
    } as never, // true: only the time is read
    largestSkewMs: 500,
    api: { objects: () => new Map(objects.map(each => [each.kind + each.metadata.name, each])) } as never, // true: only the objects are read
    workloads: {
      lostAt: () => lostAt,
      onServed: (heard: typeof listener) => {
        listener = heard;
      },
    } as never, // true: only these are used
    report: text => reports.push(text),
  });
});

const begin = () => oracle.invocation({ type: 'begins', process } as never); // true: only these parts are read

/** The check adds these conditions to the Machine. */
function mark(name: string, ...types: readonly string[]): void {
  const previous = objects.find(({ kind, metadata }) => kind === 'Machine' && metadata.name === name);
  if (previous === undefined) {
    throw new Error(`There is no Machine ${name}`);
  }
  const stored = (previous.status as { readonly conditions: readonly JsonObject[] }).conditions; // true: a Machine of this file
  const conditions = [
    ...stored.filter(({ type }) => !types.includes(String(type))),
    ...types.map(type => marked(type)),
  ];
  const after = { ...previous, status: { ...(previous.status as object), conditions } };
  oracle.committed({ type: 'MODIFIED', previous, object: after, writer: process.name });
}

const both = ['HealthCheckSucceeded', 'OwnerRemediated'] as const;

describe('a mark', () => {
  it.each([
    { reason: 'a condition that has lasted', status: 'False', seconds: 400, says: [] },
    {
      reason: 'a condition that has not lasted',
      status: 'False',
      seconds: 100,
      says: ['I9: machinehealthcheck.1 marks without a cause that has lasted Machine m1'],
    },
    {
      reason: 'a ready Node',
      status: 'True',
      seconds: 400,
      says: ['I9: machinehealthcheck.1 marks without a cause that has lasted Machine m1'],
    },
  ])('because of $reason has $says.length violations', async ({ status, seconds, says }) => {
    await setReady('n-m1', ready(status, clock.now() - seconds * 1000));
    begin();
    ask();
    mark('m1', ...both);
    expect(reports).toEqual(says);
  });

  it('may follow a cause that ended during the invocation', async () => {
    await setReady('n-m1', ready('False', clock.now() - 400_000));
    begin();
    ask();
    await setReady('n-m1', ready('True', clock.now()));
    mark('m1', ...both);
    expect(reports).toEqual([]);
    begin();
    ask();
    mark('m1', ...both);
    expect(reports).toHaveLength(1);
  });

  it('needs no cause but the annotation, or the absence of the Node', () => {
    objects.push(machine('m3', { annotations: { 'cluster.x-k8s.io/remediate-machine': '' } }), machine('m4'));
    begin();
    ask();
    mark('m3', ...both);
    mark('m4', ...both);
    expect(reports).toEqual([]);
  });

  it.each([
    { seconds: 500, says: 1 },
    { seconds: 700, says: 0 },
  ])('of a Machine without Node after $seconds s has $says violations', async ({ seconds, says }) => {
    objects.push(machine('m3', { node: '' }));
    await clock.advance(seconds * 1000);
    begin();
    ask();
    mark('m3', ...both);
    expect(reports).toHaveLength(says);
  });

  it('needs an answer of the workload cluster', async () => {
    await setReady('n-m1', ready('False', clock.now() - 400_000));
    begin();
    ask();
    lostAt = clock.now();
    mark('m1', ...both);
    expect(reports).toEqual([]);
    await clock.advance(1000);
    begin();
    ask();
    mark('m1', ...both);
    expect(reports).toEqual(['I9: machinehealthcheck.1 marks, without an answer of its workload cluster, Machine m1']);
  });

  it.each([
    { triggerIf: { unhealthyLessThanOrEqualTo: 1 }, says: 1 },
    { triggerIf: { unhealthyLessThanOrEqualTo: '50%' }, says: 1 },
    { triggerIf: { unhealthyLessThanOrEqualTo: '100%' }, says: 0 },
    { triggerIf: { unhealthyInRange: '[3-4]' }, says: 1 },
    { triggerIf: { unhealthyInRange: '[1-2]' }, says: 0 },
  ])('of one of two such Machines has $says violations with the limit $triggerIf', async ({ triggerIf, says }) => {
    objects = objects.map(each => (each.kind === 'MachineHealthCheck' ? check(triggerIf) : each));
    await setReady('n-m1', ready('False', clock.now() - 400_000));
    await setReady('n-m2', ready('False', clock.now()));
    begin();
    ask();
    mark('m1', 'HealthCheckSucceeded');
    expect(reports).toEqual([]);
    mark('m1', ...both);
    expect(reports).toHaveLength(says);
  });

  it('of a skipped Machine, and of one that its owner remediates, are violations', async () => {
    objects.push(
      machine('m3', { annotations: { 'cluster.x-k8s.io/skip-remediation': '' } }),
      machine('m4', { conditions: [{ ...marked('OwnerRemediated', 'Replacing'), status: 'Unknown' }] }),
    );
    begin();
    ask();
    mark('m3', 'HealthCheckSucceeded');
    mark('m4', ...both);
    expect(reports).toEqual([
      'I9: machinehealthcheck.1 changes the conditions of a skipped Machine m3',
      'I9: machinehealthcheck.1 marks without a cause that has lasted Machine m3',
      'I9: machinehealthcheck.1 takes over the remediation of Machine m4',
    ]);
  });

  it('of another process is not judged', () => {
    mark('m1', ...both);
    expect(reports).toEqual([]);
  });
});
