import { describe, expect, it } from 'vitest';
import { droppedEvents } from '../../../../shared/event-source/source-metrics.ts';
import { toEventId } from '../../../../shared/workqueue/ids.ts';
import { AuditWebhookWorld, aBody, recordedBody, recordedEvent, recordedNames } from './audit-posts.ts';

const first = '791785c2-87d6-43e7-8839-444cd40d2348';
const second = '787a3343-d6ab-46ba-8e04-ce779b33f87e';

interface Row {
  readonly file: string;
  readonly requests?: readonly string[];
  readonly lookedUp?: readonly string[];
  readonly dropped?: Readonly<Record<string, number>>;
  readonly reason: string;
}

const rows: readonly Row[] = [
  {
    file: 'create-clusters-RequestResponse-201',
    requests: [`cluster default/sample event ${first}@302`],
    reason: 'the response holds the new object in its version',
  },
  { file: 'create-clusters-RequestResponse-422', dropped: { refused: 1 }, reason: 'nothing was created' },
  { file: 'create-secrets-Metadata-201', dropped: { 'not watched': 1 }, reason: 'no reconciler watches Secrets' },
  {
    file: 'delete-clusters-RequestResponse-200-with-finalizer',
    requests: [`cluster default/sample event ${first}@308`],
    reason: 'the response holds the object with its deletion timestamp, which is a new version',
  },
  {
    file: 'patch-clusters-last-finalizer-removed-RequestResponse-200',
    requests: [`cluster default/sample deletion ${first}@308`],
    reason: 'the object is removed, although the response holds the version before',
  },
  {
    file: 'delete-clusters-RequestResponse-200-final-Status',
    requests: ['cluster default/sample deletion'],
    lookedUp: ['simulated-cluster Cluster default/*'],
    reason: 'a Status holds the name, but not the references of the Cluster',
  },
  { file: 'get-clusters-Metadata-200', dropped: { read: 1 }, reason: 'a read changes nothing' },
  { file: 'get-clusters-Metadata-404', dropped: { read: 1 }, reason: 'a read changes nothing' },
  { file: 'get-clusters-status-Metadata-200', dropped: { read: 1 }, reason: 'a read changes nothing' },
  {
    file: 'patch-clusters-RequestResponse-200',
    requests: [`cluster default/sample event ${first}@304`],
    reason: 'a new version',
  },
  {
    file: 'patch-clusters-ssa-RequestResponse-200',
    requests: [`cluster default/sample event ${second}@317`],
    reason: 'server-side apply is a patch',
  },
  {
    file: 'patch-clusters-status-RequestResponse-200',
    requests: [`cluster default/sample event ${first}@305`],
    reason: 'status counts',
  },
  {
    file: 'update-clusters-RequestResponse-200',
    requests: [`cluster default/sample event ${first}@303`],
    reason: 'the version of the response counts, not that of the request',
  },
  {
    file: 'update-clusters-status-RequestResponse-200',
    requests: [`cluster default/sample event ${second}@318`],
    reason: 'status counts',
  },
];

describe('the bodies that kube-apiserver v1.36.3 posted', () => {
  it('are all in the table', () => {
    expect(rows.map(({ file }) => `${file}.eventlist.json`).toSorted()).toEqual(recordedNames.toSorted());
  });

  it.each(rows)('$file: $reason', async ({ file, requests = [], lookedUp = [], dropped = {} }) => {
    const world = new AuditWebhookWorld();
    const { statusCode } = await world.post(recordedBody(`${file}.eventlist.json`));
    expect(statusCode).toBe(200);
    expect(world.requestTexts()).toEqual(requests);
    expect(world.lookedUp()).toEqual(lookedUp);
    // 'no target': the simulated provider also watches Clusters. These Clusters reference infrastructure of another
    // kind.
    const { 'no target': _, ...drops } = world.counted(droppedEvents);
    expect(drops).toEqual(dropped);
  });

  it('become one message per object if they arrive in one body', async () => {
    const events = recordedNames.map(name => recordedEvent(name));
    const world = new AuditWebhookWorld();
    await world.post(aBody(...events));
    expect(world.requestTexts()).toEqual([`cluster default/sample deletion ${first}@308 ${second}@318`]);
  });

  it('get the ids that the watch gives to the same versions', async () => {
    const world = new AuditWebhookWorld();
    await world.post(recordedBody('patch-clusters-RequestResponse-200.eventlist.json'));
    const [message] = world.sent;
    const [request] = world.requests();
    expect(message?.deduplicationId).toBe(request && toEventId(request, [`${first}@304`]));
  });

  it('get a unique id if no version identifies the change', async () => {
    const names = [
      'delete-clusters-RequestResponse-200-final-Status',
      'patch-clusters-last-finalizer-removed-RequestResponse-200',
    ];
    for (const name of names) {
      const world = new AuditWebhookWorld();
      await world.post(recordedBody(`${name}.eventlist.json`));
      await world.post(recordedBody(`${name}.eventlist.json`));
      const ids = world.sent.filter(({ queue }) => queue === 'work-cluster.fifo').map(sent => sent.deduplicationId);
      expect(new Set(ids).size).toBe(2);
    }
  });
});
