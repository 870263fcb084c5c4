import { describe, expect, it } from 'vitest';
import { droppedEvents } from '../../../../shared/event-source/metrics.ts';
import { toEventId } from '../../../../shared/workqueue/ids.ts';
import { aBody, recordedBody, recordedEvent, recordedNames, World } from './world.ts';

const first = '791785c2-87d6-43e7-8839-444cd40d2348';
const second = '787a3343-d6ab-46ba-8e04-ce779b33f87e';

interface Row {
  readonly file: string;
  readonly told?: readonly string[];
  readonly lookedUp?: readonly string[];
  readonly dropped?: Readonly<Record<string, number>>;
  readonly reason: string;
}

const rows: readonly Row[] = [
  {
    file: 'create-clusters-RequestResponse-201',
    told: [`cluster default/sample event ${first}@302`],
    reason: 'the answer shows the new object in its version',
  },
  { file: 'create-clusters-RequestResponse-422', dropped: { refused: 1 }, reason: 'nothing was created' },
  { file: 'create-secrets-Metadata-201', dropped: { 'not watched': 1 }, reason: 'nobody watches Secrets' },
  {
    file: 'delete-clusters-RequestResponse-200-with-finalizer',
    told: [`cluster default/sample event ${first}@308`],
    reason: 'the answer shows the object with its deletion timestamp, which is a new version',
  },
  {
    file: 'patch-clusters-last-finalizer-removed-RequestResponse-200',
    told: [`cluster default/sample deletion ${first}@308`],
    reason: 'it is gone now, though the answer shows the version before',
  },
  {
    file: 'delete-clusters-RequestResponse-200-final-Status',
    told: ['cluster default/sample deletion'],
    lookedUp: ['simulated-cluster Cluster default/*'],
    reason: 'a Status tells the name, and nothing of what the Cluster named',
  },
  { file: 'get-clusters-Metadata-200', dropped: { read: 1 }, reason: 'reading changes nothing' },
  { file: 'get-clusters-Metadata-404', dropped: { read: 1 }, reason: 'reading changes nothing' },
  { file: 'get-clusters-status-Metadata-200', dropped: { read: 1 }, reason: 'reading changes nothing' },
  {
    file: 'patch-clusters-RequestResponse-200',
    told: [`cluster default/sample event ${first}@304`],
    reason: 'a new version',
  },
  {
    file: 'patch-clusters-ssa-RequestResponse-200',
    told: [`cluster default/sample event ${second}@317`],
    reason: 'server-side apply is a patch',
  },
  {
    file: 'patch-clusters-status-RequestResponse-200',
    told: [`cluster default/sample event ${first}@305`],
    reason: 'status counts',
  },
  {
    file: 'update-clusters-RequestResponse-200',
    told: [`cluster default/sample event ${first}@303`],
    reason: 'the version of the answer counts, not that of the request',
  },
  {
    file: 'update-clusters-status-RequestResponse-200',
    told: [`cluster default/sample event ${second}@318`],
    reason: 'status counts',
  },
];

describe('the bodies that kube-apiserver v1.36.3 posted', () => {
  it('are all in the table', () => {
    expect(rows.map(({ file }) => `${file}.eventlist.json`).toSorted()).toEqual(recordedNames.toSorted());
  });

  it.each(rows)('$file: $reason', async ({ file, told = [], lookedUp = [], dropped = {} }) => {
    const world = new World();
    const { statusCode } = await world.post(recordedBody(`${file}.eventlist.json`));
    expect(statusCode).toBe(200);
    expect(world.told()).toEqual(told);
    expect(world.lookedUp()).toEqual(lookedUp);
    // 'no target': the simulated provider looks at Clusters too, and these name infrastructure of another kind.
    const { 'no target': _, ...drops } = world.counted(droppedEvents);
    expect(drops).toEqual(dropped);
  });

  it('become one message per object when they come together', async () => {
    const events = recordedNames.map(name => recordedEvent(name));
    const world = new World();
    await world.post(aBody(...events));
    expect(world.told()).toEqual([`cluster default/sample deletion ${first}@308 ${second}@318`]);
  });

  it('have the ids that the watch gives the same versions', async () => {
    const world = new World();
    await world.post(recordedBody('patch-clusters-RequestResponse-200.eventlist.json'));
    const [message] = world.sent;
    const [request] = world.requests();
    expect(message?.deduplicationId).toBe(request && toEventId(request.key, [`${first}@304`]));
  });

  it('have an id of their own where no version tells what became of the object', async () => {
    const names = [
      'delete-clusters-RequestResponse-200-final-Status',
      'patch-clusters-last-finalizer-removed-RequestResponse-200',
    ];
    for (const name of names) {
      const world = new World();
      await world.post(recordedBody(`${name}.eventlist.json`));
      await world.post(recordedBody(`${name}.eventlist.json`));
      const ids = world.sent.filter(({ queue }) => queue === 'work-cluster.fifo').map(sent => sent.deduplicationId);
      expect(new Set(ids).size).toBe(2);
    }
  });
});
