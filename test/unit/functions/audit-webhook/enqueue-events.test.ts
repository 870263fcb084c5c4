import { describe, expect, it } from 'vitest';
import { droppedEvents, refusedSends, sentMessages } from '../../../../shared/event-source/source-metrics.ts';
import { manySources } from '../../../../shared/workqueue/message.ts';
import { SendValidationError } from '../../../../shared/workqueue/send-limits.ts';
import {
  AuditWebhookWorld,
  type AuditWebhookWorldOptions,
  aBody,
  infraGroup,
  type RawEvent,
  recordedEvent,
} from './audit-posts.ts';

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

/** Returns an event of a successful request. By default it is for `default/one` of kind Cluster. */
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

async function take(events: readonly RawEvent[], options: AuditWebhookWorldOptions = {}): Promise<AuditWebhookWorld> {
  const world = new AuditWebhookWorld(options);
  expect(await world.post(aBody(...events))).toMatchObject({ statusCode: 200 });
  return world;
}

describe('an audit event', () => {
  it.each<{ reason: string; of: Of; requests?: readonly string[]; lookedUp?: readonly string[] }>([
    {
      reason: 'a response in the version that mappings read is used completely',
      of: {
        answer: anObject(
          {},
          { spec: { infrastructureRef: { apiGroup: infraGroup, kind: 'SimulatedCluster', name: 'i' } } },
        ),
      },
      requests: ['cluster default/one event uid-one@7', 'simulated-cluster default/i event uid-one@7'],
    },
    {
      reason: 'an older version may spell its references differently',
      of: { version: 'v1beta1', answer: anObject({}, { apiVersion: 'cluster.x-k8s.io/v1beta1', spec: {} }) },
      requests: ['cluster default/one event uid-one@7'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'metadata holds the version, but not the references of the spec',
      of: { answer: anObject({}, { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }) },
      requests: ['cluster default/one event uid-one@7'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a Table holds no object',
      of: { answer: { apiVersion: 'meta.k8s.io/v1', kind: 'Table', metadata: {}, rows: [] } },
      requests: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'at level Metadata the request identifies the object',
      of: {},
      requests: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a write that timed out may be stored',
      of: { code: 504, answer: { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'Timeout' } },
      requests: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a failed deletion may have happened',
      of: { verb: 'delete', code: 500, answer: { apiVersion: 'v1', kind: 'Status', status: 'Failure' } },
      requests: ['cluster default/one deletion'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a failed create may have stored an object under an unknown name',
      of: { verb: 'create', name: undefined, code: 500 },
      lookedUp: ['cluster Cluster default/*', 'simulated-cluster Cluster default/*'],
    },
    {
      reason: 'the version in the response of a failed request identifies no change',
      of: { code: 500, answer: anObject() },
      requests: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a response with invalid metadata is ignored',
      of: { answer: anObject({ labels: ['odd'] }) },
      requests: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a generated name is unknown if the response does not hold it',
      of: { verb: 'create', name: undefined },
      lookedUp: ['cluster Cluster default/*', 'simulated-cluster Cluster default/*'],
    },
    {
      reason: 'the response holds the generated name',
      of: { verb: 'create', name: undefined, answer: anObject({ name: 'one-x7k2p' }) },
      requests: ['cluster default/one-x7k2p event uid-one@7'],
    },
    {
      reason: 'a Scale is another kind, so its version is ignored',
      of: { subresource: 'scale', answer: anObject({}, { apiVersion: 'autoscaling/v1', kind: 'Scale' }) },
      requests: ['cluster default/one list'],
      lookedUp: ['simulated-cluster Cluster default/*'],
    },
    {
      reason: 'a patch without a change repeats a version, so the message is deduplicated',
      of: { answer: anObject({ resourceVersion: '6' }) },
      requests: ['cluster default/one event uid-one@6'],
    },
    {
      reason: 'the response to a deletion may hold the object before it',
      of: { verb: 'delete', answer: anObject() },
      requests: ['cluster default/one deletion uid-one@7'],
    },
    {
      reason: 'deletecollection returns each object, in its version before the removal',
      of: {
        verb: 'deletecollection',
        name: undefined,
        answer: {
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind: 'ClusterList',
          items: [anObject({ finalizers: ['f'] }), anObject({ name: 'two', uid: 'uid-two' })],
        },
      },
      requests: ['cluster default/one deletion uid-one@7', 'cluster default/two deletion uid-two@7'],
    },
    {
      reason: 'a list with an unreadable item may hide any object',
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
      requests: ['cluster default/c event uid-one@7'],
    },
    {
      reason: 'a worker Machine with a controller enqueues nothing',
      of: {
        resource: 'machines',
        answer: anObject(
          {
            labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
            ownerReferences: [
              { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 's', uid: 's', controller: true },
            ],
          },
          { kind: 'Machine' },
        ),
      },
    },
    {
      reason: 'a Machine with unknown labels may concern any Cluster of its namespace',
      of: { resource: 'machines', verb: 'delete', answer: { apiVersion: 'v1', kind: 'Status', status: 'Success' } },
      lookedUp: ['cluster Machine default/*'],
    },
    {
      reason: 'a provider object is mapped by its owner',
      of: { ...infra, resource: 'fooclusters', answer: infraObject('FooCluster', { ownerReferences: [owner] }) },
      requests: ['cluster default/owner event uid-one@7'],
    },
    {
      reason: 'a provider object without owner is expanded by its name',
      of: { ...infra, resource: 'fooclusters', answer: infraObject('FooCluster') },
      lookedUp: ['cluster FooCluster default/one'],
    },
    {
      reason: 'for a removed provider object the resource name is known',
      of: {
        ...infra,
        resource: 'fooclusters',
        verb: 'delete',
        answer: { apiVersion: 'v1', kind: 'Status', status: 'Success' },
      },
      lookedUp: ['cluster fooclusters default/one'],
    },
    {
      reason: 'a provider kind with its own reconciler is watched and referenced',
      of: {
        ...infra,
        resource: 'simulatedclusters',
        subresource: 'status',
        answer: infraObject('SimulatedCluster', { ownerReferences: [owner] }),
      },
      requests: ['cluster default/owner event uid-one@7', 'simulated-cluster default/one event uid-one@7'],
    },
  ])('$reason', async ({ of, requests = [], lookedUp = [] }) => {
    const world = await take([anEvent(of)]);
    expect(world.requestTexts()).toEqual(requests);
    expect(world.lookedUp()).toEqual(lookedUp);
  });

  it.each<{ of: Of; dropped: string; reason: string }>([
    { of: { stage: 'RequestReceived' }, dropped: 'stage', reason: 'nothing has happened yet' },
    { of: { stage: 'Panic' }, dropped: 'stage', reason: 'the outcome of a panic is unknown' },
    { of: { verb: 'list' }, dropped: 'read', reason: 'a list' },
    { of: { verb: 'watch' }, dropped: 'read', reason: 'a watch' },
    { of: { code: 409 }, dropped: 'refused', reason: 'a conflict' },
    { of: { code: 499 }, dropped: 'refused', reason: 'any client error' },
    { of: { query: '?dryRun=All', answer: anObject() }, dropped: 'dry run', reason: 'a dry run changes nothing' },
    { of: { query: '?fieldManager=a&dryRun=All' }, dropped: 'dry run', reason: 'anywhere in the query' },
    {
      of: { verb: 'delete', request: { kind: 'DeleteOptions', dryRun: ['All'] } },
      dropped: 'dry run',
      reason: 'a deletion may set it in its body',
    },
    { of: { group: 'apps', resource: 'deployments' }, dropped: 'not watched', reason: 'a resource of another group' },
    { of: { resource: 'clusterresourcesets' }, dropped: 'not watched', reason: 'a kind without watches' },
    { of: { resource: 'toString' }, dropped: 'not watched', reason: 'property names of objects are not special' },
    {
      of: { group: '__proto__', resource: 'constructor' },
      dropped: 'not watched',
      reason: 'property names of objects are not special',
    },
  ])('is dropped: $reason', async ({ of, dropped }) => {
    const world = await take([anEvent(of)]);
    expect(world.sent).toEqual([]);
    expect(world.counted(droppedEvents)).toEqual({ [dropped]: 1 });
  });

  it('of a failed request gets a unique id, so that it is not deduplicated', async () => {
    const event = anEvent({ code: 504 });
    const world = await take([event]);
    await world.post(aBody(event));
    const ids = world.sent.filter(({ queue }) => queue === 'work-cluster.fifo').map(sent => sent.deduplicationId);
    expect(new Set(ids).size).toBe(2);
  });

  it('is dropped if it has no resource', async () => {
    const { objectRef: _, ...healthCheck } = anEvent({ verb: 'get' });
    const world = await take([healthCheck]);
    expect(world.counted(droppedEvents)).toEqual({ 'no resource': 1 });
  });

  it.each(['?dryRun=', '?dryRunning=All', '?x=dryRun'])('with the query %s is not a dry run', async query => {
    const world = await take([anEvent({ query, answer: anObject() })]);
    expect(world.requests()).toHaveLength(1);
  });

  it.each([
    'system:serviceaccount:kube-system:generic-garbage-collector',
    'system:kube-controller-manager',
    'capi-serverless',
  ])('counts for every user: %s', async username => {
    const world = await take([{ ...recordedEvent(deleted), user: { username } }]);
    expect(world.requestTexts()).toEqual(['cluster default/sample deletion']);
  });

  it('may hold unknown fields', async () => {
    const world = await take([{ ...anEvent({ answer: anObject() }), authenticationMetadata: { impersonation: {} } }]);
    expect(world.requestTexts()).toEqual(['cluster default/one event uid-one@7']);
  });
});

describe('the predicates of the controllers', () => {
  it('drop objects of another watch filter if their labels are known', async () => {
    const world = await take([anEvent({ answer: anObject() })], { watchFilter: 'blue' });
    expect(world.sent).toEqual([]);
    expect(world.counted(droppedEvents)).toEqual({ 'watch filter': 1 });
  });

  it('keep objects with unknown labels, because the reconciler checks them', async () => {
    const world = await take([anEvent()], { watchFilter: 'blue' });
    expect(world.requestTexts()).toEqual(['cluster default/one list']);
  });

  it('drop paused provider objects', async () => {
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

  it('become one message per object with the highest version of each source', async () => {
    const versions = ['9', '10', '8'].map(resourceVersion => anEvent({ answer: anObject({ resourceVersion }) }));
    const world = await take([...versions, ofSource(1)]);
    expect(world.requestTexts()).toEqual([
      'cluster default/one event uid-one@10',
      'cluster default/owner event uid-1@7',
    ]);
  });

  it('keep at most 20 sources per message; a message with more gets a unique id', async () => {
    const events = Array.from({ length: 21 }, (_, index) => ofSource(index));
    const twenty = await take(events.slice(1));
    expect(twenty.requests()[0]?.sources).toHaveLength(20);
    const again = await take(events.slice(1).toReversed());
    expect(again.sent[0]?.deduplicationId).toBe(twenty.sent[0]?.deduplicationId);
    const many = new AuditWebhookWorld();
    await many.post(aBody(...events));
    await many.post(aBody(...events));
    expect(many.requests()[0]?.sources?.at(-1)).toBe(manySources);
    expect(many.sent[0]?.deduplicationId).not.toBe(many.sent[1]?.deduplicationId);
  });

  it('request each expansion once', async () => {
    const event = anEvent({ ...infra, resource: 'fooclusters', answer: infraObject('FooCluster') });
    expect((await take([event, event, event])).expansions()).toHaveLength(1);
  });

  it('that name a version before it exists get the id of that version, which a holder of the token can guess', async () => {
    const world = new AuditWebhookWorld();
    const next = aBody(anEvent({ answer: anObject({ resourceVersion: '8' }) }));
    await world.post(next);
    await world.clock.advance(2000);
    await world.post(next);
    expect(new Set(world.sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(1);
  });

  it('are rejected together if a queue refuses one message, so that they are sent again', async () => {
    const world = new AuditWebhookWorld();
    world.answer = queue => (queue === 'expand' ? { ok: false, error: new Error('Throttled') } : { ok: true });
    const body = aBody(anEvent());
    expect(await world.post(body)).toMatchObject({ statusCode: 503 });
    expect(world.counted(refusedSends)).toEqual({ expand: 1 });
    expect(world.counted(sentMessages)).toEqual({ 'work-cluster.fifo': 1 });
    world.answer = () => ({ ok: true });
    expect(await world.post(body)).toMatchObject({ statusCode: 200 });
    expect(world.lookedUp()).toEqual(['simulated-cluster Cluster default/*']);
  });

  it('are not sent again because of a message that no queue can accept', async () => {
    const world = new AuditWebhookWorld();
    world.answer = () => ({ ok: false, error: new SendValidationError('has a body of 2000000 bytes') });
    expect(await world.post(aBody(anEvent({ answer: anObject() })))).toMatchObject({ statusCode: 200 });
    expect(world.log.lines).toMatchObject([
      { level: 'error', error: 'has a body of 2000000 bytes' },
      { level: 'debug' },
    ]);
  });
});
