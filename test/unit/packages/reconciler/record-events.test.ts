import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '../../../../packages/reconciler/record-events.ts';
import type { EventDraft } from '../../../../packages/reconciler/types.ts';
import { aDeclaration, aRecordingLog, aWidget, widgetCrd } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;
const draft: EventDraft = { type: 'Normal', reason: 'Provisioned', message: 'Widget w1 is Provisioned' };

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
});

const record = (primary: Parameters<typeof recordEvents>[1], drafts: readonly EventDraft[], log = aRecordingLog()) =>
  recordEvents(
    { writes: api.kubernetes, declaration: aDeclaration(), log, now: api.clock.now() + 123 },
    primary,
    drafts,
  );

const stored = async () => {
  const answer = await api.others.list({ apiVersion: 'v1', kind: 'Event' });
  return answer.ok ? answer.value : [];
};

describe('recorded events', () => {
  it('refer to the object in its namespace, as the reconciler, with times in whole seconds', async () => {
    const [primary = aWidget()] = api.given(aWidget());
    await record(primary, [draft]);
    expect(await stored()).toMatchObject([
      {
        metadata: { namespace: 'ns' },
        involvedObject: { kind: 'Widget', name: 'w1', namespace: 'ns', uid: primary.metadata.uid },
        ...draft,
        source: { component: 'widget-controller' },
        reportingComponent: 'widget-controller',
        reportingInstance: '',
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      },
    ]);
    // Checks the sent object, because the API server itself drops fractions of a second.
    expect(api.calls.all).toMatchObject([
      {
        body: { firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:00Z' },
        options: { fieldManager: 'capi-serverless' },
      },
    ]);
  });

  it('refer to another object if the draft names one', async () => {
    const [primary = aWidget()] = api.given(aWidget());
    const about = { ...primary, metadata: { ...primary.metadata, name: 'w2', uid: 'u2' } };
    await record(primary, [{ ...draft, about }]);
    expect(await stored()).toMatchObject([{ involvedObject: { kind: 'Widget', name: 'w2', uid: 'u2' } }]);
  });

  it('exist once per state, however often they are recorded', async () => {
    const [primary = aWidget()] = api.given(aWidget());
    const log = aRecordingLog();
    await record(primary, [draft], log);
    await record(primary, [draft], log);
    expect(await stored()).toHaveLength(1);
    expect(log.lines).toEqual([]);
    await record({ ...primary, metadata: { ...primary.metadata, resourceVersion: '999' } }, [draft]);
    expect(await stored()).toHaveLength(2);
  });

  it('have legal names for objects with the longest names', async () => {
    const name = `${'a'.repeat(235)}.${'b'.repeat(17)}`;
    const [primary = aWidget()] = api.given(aWidget({ metadata: { name } }));
    await record(primary, [draft]);
    const [event] = await stored();
    expect(event?.metadata.name).toMatch(/^a{235}\.[0-9a-f]{16}$/);
  });

  it('keep the separators of a name, and lose only a separator at the end of a cut name', async () => {
    const name = `a.b${'c'.repeat(231)}--${'d'.repeat(17)}`;
    const [primary = aWidget()] = api.given(aWidget({ metadata: { name } }));
    await record(primary, [draft]);
    const [event] = await stored();
    expect(event?.metadata.name).toMatch(/^a\.bc{231}\.[0-9a-f]{16}$/);
  });

  it('of cluster-scoped objects are in the default namespace', async () => {
    await record(api.read({ apiVersion: 'v1', kind: 'Namespace', name: 'default' }), [draft]);
    expect(await stored()).toMatchObject([{ metadata: { namespace: 'default' } }]);
  });

  it('have a message of limited length, which says what was cut', async () => {
    const [primary = aWidget()] = api.given(aWidget());
    await record(primary, [{ ...draft, message: 'x'.repeat(1_000_000) }]);
    expect(await stored()).toMatchObject([{ message: `${'x'.repeat(1000)}… (999000 more)` }]);
  });

  it.each([
    {
      reason: 'Forbidden',
      code: 403,
      message:
        'events "w1.1" is forbidden: unable to create new content in namespace ns because it is being terminated',
    },
    { reason: 'NotFound', code: 404, message: 'namespaces "ns" not found' },
  ] as const)('cause no error in a namespace that ends: $reason', async failure => {
    const [primary = aWidget()] = api.given(aWidget());
    api.calls.fail({ at: 1, failure });
    const log = aRecordingLog();
    await record(primary, [draft], log);
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('only cause a log line when refused', async () => {
    const [primary = aWidget()] = api.given(aWidget());
    api.calls.fail({ at: 1, failure: { reason: 'Forbidden', code: 403, message: 'no' } });
    const log = aRecordingLog();
    await record(primary, [draft], log);
    expect(log.lines).toMatchObject([
      { level: 'error', message: 'Recording an event failed', error: 'no', reason: 'Provisioned' },
    ]);
  });
});
