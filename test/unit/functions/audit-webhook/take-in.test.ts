import { describe, expect, it } from 'vitest';
import { droppedEvents, refusedSends, sentMessages } from '../../../../shared/event-source/metrics.ts';
import { SendValidationError } from '../../../../shared/workqueue/limits.ts';
import { manySources } from '../../../../shared/workqueue/message.ts';
import { aBody, infraGroup, type RawEvent, recordedEvent, World, type WorldOptions } from './world.ts';

const patched = 'patch-clusters-RequestResponse-200.eventlist.json';
const deleted = 'delete-clusters-RequestResponse-200-final-Status.eventlist.json';

interface Of {
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string | undefined;
  readonly query?: string;
  readonly code?: number;
  readonly stage?: string;
  readonly request?: unknown;
  readonly answer?: unknown;
}

/** An answered request about `default/one` of the Cluster kind, unless told otherwise. */
function anEvent(of: Of = {}): RawEvent {
  const { verb = 'patch', group = 'cluster.x-k8s.io', version = 'v1beta2', resource = 'clusters', name = 'one' } = of;
  const objectRef = { resource, namespace: 'default', apiGroup: group, apiVersion: version };
  return recordedEvent(patched, {
    verb,
    stage: of.stage ?? 'ResponseComplete',
    requestURI: `/apis/${group}/${version}/namespaces/default/${resource}/${name}${of.query ?? ''}`,
    objectRef: {
      ...objectRef,
      ...('name' in of && of.name === undefined ? {} : { name }),
      ...(of.subresource === undefined ? {} : { subresource: of.subresource }),
    },
    responseStatus: { metadata: {}, code: of.code ?? 200 },
    requestObject: of.request,
    responseObject: of.answer,
  });
}

function anObject(metadata: RawEvent = {}, rest: RawEvent = {}): RawEvent {
  const meta = { namespace: 'default', name: 'one', uid: 'uid-one', resourceVersion: '7', ...metadata };
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: meta, ...rest };
}

const infra = { group: infraGroup, version: 'v1beta2' };
const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'owner', uid: 'uid-owner' };
const infraObject = (kind: string, metadata: RawEvent = {}): RawEvent =>
  anObject(metadata, { apiVersion: `${infraGroup}/v1beta2`, kind });
const machineObject = (labels: RawEvent): RawEvent => anObject({ labels }, { kind: 'Machine' });
const controlPlaneLabels = { 'cluster.x-k8s.io/cluster-name': 'c', 'cluster.x-k8s.io/control-plane': '' };

async function take(events: readonly RawEvent[], options: WorldOptions = {}): Promise<World> {
  const world = new World(options);
  expect(await world.post(aBody(...events))).toMatchObject({ statusCode: 200 });
  return world;
}

describe('an audit event', () => {
  it.each<{ reason: string; of: Of; told?: readonly string[]; lookedUp?: readonly string[] }>([
    {
      reason: 'an answer in the version that mappings read shows everything',
      of: {
        answer: anObject(
          {},
          { spec: { infrastructureRef: { apiGroup: infraGroup, kind: 'SimulatedCluster', name: 'i' } } },
        ),
      },
      told: ['cluster default/one event uid-one@7', 'simulated-cluster default/i event uid-one@7'],
    },
    {
      reason: 'an older version may spell its references in another way',
      of: { version: 'v1beta1', answer: anObject({}, { apiVersion: 'cluster.x-k8s.io/v1beta1', spec: {} }) },
      told: ['cluster default/one event uid-one@7'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'metadata alone tells the version, but not what a spec names',
      of: { answer: anObject({}, { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }) },
      told: ['cluster default/one event uid-one@7'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a Table shows no object',
      of: { answer: { apiVersion: 'meta.k8s.io/v1', kind: 'Table', metadata: {}, rows: [] } },
      told: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'at level Metadata the request names the object',
      of: {},
      told: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a write that ran into a timeout may be stored',
      of: { code: 504, answer: { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'Timeout' } },
      told: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a deletion that failed may have happened',
      of: { verb: 'delete', code: 500, answer: { apiVersion: 'v1', kind: 'Status', status: 'Failure' } },
      told: ['cluster default/one deletion'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a failed create may have stored an object under a name that nobody knows',
      of: { verb: 'create', name: undefined, code: 500 },
      lookedUp: ['cluster Cluster default/*', 'simulated-cluster Cluster default/*'],
    },
    {
      reason: 'no version of a failed request stands for a change that was seen',
      of: { code: 500, answer: anObject() },
      told: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'an answer that breaks the rules of metadata is not believed',
      of: { answer: anObject({ labels: ['odd'] }) },
      told: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'nobody knows the name of an object that the server names, unless the answer tells',
      of: { verb: 'create', name: undefined },
      lookedUp: ['cluster Cluster default/*', 'simulated-cluster Cluster default/*'],
    },
    {
      reason: 'the answer tells the name that the server chose',
      of: { verb: 'create', name: undefined, answer: anObject({ name: 'one-x7k2p' }) },
      told: ['cluster default/one-x7k2p event uid-one@7'],
    },
    {
      reason: 'a scale is no object of the kind, whatever version it shows',
      of: { subresource: 'scale', answer: anObject({}, { apiVersion: 'autoscaling/v1', kind: 'Scale' }) },
      told: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a patch that changed nothing repeats a version, which the queue knows already',
      of: { answer: anObject({ resourceVersion: '6' }) },
      told: ['cluster default/one event uid-one@6'],
    },
    {
      reason: 'the answer to a deletion may show the object as it was',
      of: { verb: 'delete', answer: anObject() },
      told: ['cluster default/one deletion uid-one@7'],
    },
    {
      reason: 'deleting many names each, and none in a version of its own',
      of: {
        verb: 'deletecollection',
        name: undefined,
        answer: {
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind: 'ClusterList',
          items: [anObject({ finalizers: ['f'] }), anObject({ name: 'two', uid: 'uid-two' })],
        },
      },
      told: ['cluster default/one deletion uid-one@7', 'cluster default/two deletion uid-two@7'],
    },
    {
      reason: 'a list with an odd item may hide any object',
      of: {
        verb: 'deletecollection',
        name: undefined,
        answer: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterList', items: [anObject(), 'odd'] },
      },
      lookedUp: ['cluster Cluster default/*', 'simulated-cluster Cluster default/*'],
    },
    {
      reason: 'an empty list deleted nothing',
      of: {
        verb: 'deletecollection',
        name: undefined,
        answer: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterList', items: [] },
      },
    },
    {
      reason: 'a control plane Machine is mapped by its label',
      of: { resource: 'machines', answer: machineObject(controlPlaneLabels) },
      told: ['cluster default/c event uid-one@7'],
    },
    {
      reason: 'a Machine that concerns nobody wakes nobody',
      of: { resource: 'machines', answer: machineObject({ 'cluster.x-k8s.io/cluster-name': 'c' }) },
    },
    {
      reason: 'a Machine whose labels nobody saw may concern any Cluster of its namespace',
      of: { resource: 'machines', verb: 'delete', answer: { apiVersion: 'v1', kind: 'Status', status: 'Success' } },
      lookedUp: ['cluster Machine default/*'],
    },
    {
      reason: 'a provider object is mapped by its owner',
      of: { ...infra, resource: 'fooclusters', answer: infraObject('FooCluster', { ownerReferences: [owner] }) },
      told: ['cluster default/owner event uid-one@7'],
    },
    {
      reason: 'a provider object without owner is looked up by its name',
      of: { ...infra, resource: 'fooclusters', answer: infraObject('FooCluster') },
      lookedUp: ['cluster FooCluster default/one'],
    },
    {
      reason: 'of a provider object that is gone the resource name is known',
      of: {
        ...infra,
        resource: 'fooclusters',
        verb: 'delete',
        answer: { apiVersion: 'v1', kind: 'Status', status: 'Success' },
      },
      lookedUp: ['cluster fooclusters default/one'],
    },
    {
      reason: 'a provider kind with a reconciler of its own is both watched and referenced',
      of: {
        ...infra,
        resource: 'simulatedclusters',
        subresource: 'status',
        answer: infraObject('SimulatedCluster', { ownerReferences: [owner] }),
      },
      told: ['cluster default/owner event uid-one@7', 'simulated-cluster default/one event uid-one@7'],
    },
  ])('$reason', async ({ of, told = [], lookedUp = [] }) => {
    const world = await take([anEvent(of)]);
    expect(world.told()).toEqual(told);
    expect(world.lookedUp()).toEqual(lookedUp);
  });

  it.each<{ of: Of; dropped: string; reason: string }>([
    { of: { stage: 'RequestReceived' }, dropped: 'stage', reason: 'nothing has happened yet' },
    { of: { stage: 'Panic' }, dropped: 'stage', reason: 'the server does not say what happened' },
    { of: { verb: 'list' }, dropped: 'read', reason: 'a list' },
    { of: { verb: 'watch' }, dropped: 'read', reason: 'a watch' },
    { of: { code: 409 }, dropped: 'refused', reason: 'a conflict' },
    { of: { code: 499 }, dropped: 'refused', reason: 'any fault of the client' },
    { of: { query: '?dryRun=All', answer: anObject() }, dropped: 'dry run', reason: 'a dry run looks like a patch' },
    { of: { query: '?fieldManager=a&dryRun=All' }, dropped: 'dry run', reason: 'anywhere in the query' },
    {
      of: { verb: 'delete', request: { kind: 'DeleteOptions', dryRun: ['All'] } },
      dropped: 'dry run',
      reason: 'deletions may ask for it in their body',
    },
    { of: { group: 'apps', resource: 'deployments' }, dropped: 'not watched', reason: 'a foreign group' },
    { of: { resource: 'clusterresourcesets' }, dropped: 'not watched', reason: 'a foreign kind' },
    { of: { resource: 'toString' }, dropped: 'not watched', reason: 'no name is special' },
    { of: { group: '__proto__', resource: 'constructor' }, dropped: 'not watched', reason: 'no name is special' },
  ])('goes nowhere by rule: $reason', async ({ of, dropped }) => {
    const world = await take([anEvent(of)]);
    expect(world.sent).toEqual([]);
    expect(world.counted(droppedEvents)).toEqual({ [dropped]: 1 });
  });

  it('of a failed request never has the id of another, so that it is looked at again', async () => {
    const event = anEvent({ code: 504 });
    const world = await take([event]);
    await world.post(aBody(event));
    const ids = world.sent.filter(({ queue }) => queue === 'work-cluster.fifo').map(sent => sent.deduplicationId);
    expect(new Set(ids).size).toBe(2);
  });

  it('goes nowhere when it is about no resource', async () => {
    const { objectRef: _, ...healthCheck } = anEvent({ verb: 'get' });
    const world = await take([healthCheck]);
    expect(world.counted(droppedEvents)).toEqual({ 'no resource': 1 });
  });

  it.each(['?dryRun=', '?dryRunning=All', '?x=dryRun'])('with the query %s is no dry run', async query => {
    const world = await take([anEvent({ query, answer: anObject() })]);
    expect(world.told()).toHaveLength(1);
  });

  it.each([
    'system:serviceaccount:kube-system:generic-garbage-collector',
    'system:kube-controller-manager',
    'capi-serverless',
  ])('counts whoever sent the request: %s', async username => {
    const world = await take([{ ...recordedEvent(deleted), user: { username } }]);
    expect(world.told()).toEqual(['cluster default/sample deletion']);
  });

  it('may hold fields that nobody here knows', async () => {
    const world = await take([{ ...anEvent({ answer: anObject() }), authenticationMetadata: { impersonation: {} } }]);
    expect(world.told()).toEqual(['cluster default/one event uid-one@7']);
  });
});

describe('the predicates of the controllers', () => {
  it('leave objects of another watch filter alone, where their labels are seen', async () => {
    const world = await take([anEvent({ answer: anObject() })], { watchFilter: 'blue' });
    expect(world.sent).toEqual([]);
    expect(world.counted(droppedEvents)).toEqual({ 'watch filter': 1 });
  });

  it('let an object pass whose labels nobody saw: its reconciler will see them', async () => {
    const world = await take([anEvent()], { watchFilter: 'blue' });
    expect(world.told()).toEqual(['cluster default/one list']);
  });

  it('leave paused provider objects alone', async () => {
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    const event = anEvent({ ...infra, resource: 'fooclusters', answer: infraObject('FooCluster', { annotations }) });
    const world = await take([event]);
    expect(world.sent).toEqual([]);
    expect(world.counted(droppedEvents)).toEqual({ paused: 1 });
  });
});

describe('the events of one body', () => {
  const ofSource = (index: number): RawEvent =>
    anEvent({
      ...infra,
      resource: 'fooclusters',
      name: `i${index}`,
      answer: infraObject('FooCluster', { name: `i${index}`, uid: `uid-${index}`, ownerReferences: [owner] }),
    });

  it('that name one object become one message with the highest version of each source', async () => {
    const versions = ['9', '10', '8'].map(resourceVersion => anEvent({ answer: anObject({ resourceVersion }) }));
    const world = await take([...versions, ofSource(1)]);
    expect(world.told()).toEqual(['cluster default/one event uid-one@10', 'cluster default/owner event uid-1@7']);
  });

  it('name at most 20 sources, and then may not be taken for others', async () => {
    const events = Array.from({ length: 21 }, (_, index) => ofSource(index));
    const twenty = await take(events.slice(1));
    expect(twenty.requests()[0]?.sources).toHaveLength(20);
    const again = await take(events.slice(1).toReversed());
    expect(again.sent[0]?.deduplicationId).toBe(twenty.sent[0]?.deduplicationId);
    const many = new World();
    await many.post(aBody(...events));
    await many.post(aBody(...events));
    expect(many.requests()[0]?.sources?.at(-1)).toBe(manySources);
    expect(many.sent[0]?.deduplicationId).not.toBe(many.sent[1]?.deduplicationId);
  });

  it('ask for each look-up once', async () => {
    const event = anEvent({ ...infra, resource: 'fooclusters', answer: infraObject('FooCluster') });
    expect((await take([event, event, event])).expansions()).toHaveLength(1);
  });

  it.each([
    { queueDesign: 'default', ids: 1, reason: 'ids name versions, which whoever holds the token can guess' },
    { queueDesign: 'bucket', ids: 2, reason: 'ids name seconds of our clock, and a reconcile comes after them' },
  ] as const)('that tell a version before it is there, under the $queueDesign design: $reason', async of => {
    const world = new World(of);
    const next = aBody(anEvent({ answer: anObject({ resourceVersion: '8' }) }));
    await world.post(next);
    await world.clock.advance(2000);
    await world.post(next);
    expect(new Set(world.sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(of.ids);
  });

  it('merge by the second where the queues are designed so', async () => {
    const world = new World({ queueDesign: 'bucket' });
    await world.post(aBody(anEvent({ answer: anObject({ resourceVersion: '8' }) })));
    await world.post(aBody(anEvent({ answer: anObject({ resourceVersion: '9' }) })));
    expect(world.sent[0]?.deduplicationId).toBe(world.sent[1]?.deduplicationId);
  });

  it('are not taken in while a queue refuses one of their messages, so that they come again', async () => {
    const world = new World();
    world.answer = queue => (queue === 'expand' ? { ok: false, error: new Error('Throttled') } : { ok: true });
    const body = aBody(anEvent());
    expect(await world.post(body)).toMatchObject({ statusCode: 503 });
    expect(world.counted(refusedSends)).toEqual({ expand: 1 });
    expect(world.counted(sentMessages)).toEqual({ 'work-cluster.fifo': 1 });
    world.answer = () => ({ ok: true });
    expect(await world.post(body)).toMatchObject({ statusCode: 200 });
    expect(world.lookedUp()).toEqual(['simulated-cluster Cluster default/*']);
  });

  it('do not come again for a message that no queue would ever take', async () => {
    const world = new World();
    world.answer = () => ({ ok: false, error: new SendValidationError('has a body of 2000000 bytes') });
    expect(await world.post(aBody(anEvent({ answer: anObject() })))).toMatchObject({ statusCode: 200 });
    expect(world.log.lines).toMatchObject([
      { level: 'error', error: 'has a body of 2000000 bytes' },
      { level: 'debug' },
    ]);
  });
});
